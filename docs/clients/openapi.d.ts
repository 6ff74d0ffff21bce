// Made by openapi-typescript of the OpenAPI document; how to make it again stands in docs/clients.md.
export interface paths {
    "/api/v1/activities": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List activities
         * @description Newest activities of the current user, which are read from then on.
         */
        get: operations["listActivities"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/activities/unreads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count unread activities
         * @description Number of activities that no list has answered yet.
         */
        get: operations["countUnreadActivities"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/banners": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List banners
         * @description All banners, newest first. (Extension.)
         */
        get: operations["listBanners"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/categories": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List categories
         * @description All categories with their items, in display order. (Extension.)
         */
        get: operations["listCategories"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/choices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List choices
         * @description Choices that everybody may see and the current user's own secret ones, newest first.
         */
        get: operations["listChoices"];
        put?: never;
        /**
         * Create choice
         * @description Makes a choice of the current user.
         */
        post: operations["createChoice"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/choices/{choiceId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get choice
         * @description One choice.
         */
        get: operations["getChoice"];
        /**
         * Update choice
         * @description Changes what is sent; choiceProducts replaces the whole list.
         */
        put: operations["updateChoice"];
        /**
         * Add choice product
         * @description Adds a product, in one of its variants; one that is there already stays once.
         */
        post: operations["addChoiceProduct"];
        /**
         * Delete choice
         * @description Deletes a choice.
         */
        delete: operations["deleteChoice"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/choices/{choiceId}/remove": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Remove choice product
         * @description Removes a product: in the named variant, or in all of them.
         */
        post: operations["removeChoiceProduct"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/choices/{choiceId}/products": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List choice products
         * @description Products of a choice that the current user may see, last added first.
         */
        get: operations["listChoiceProducts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/products/{productId}/favorites": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List product favorites
         * @description Favorites of a product, newest first; anonymous ones are left out.
         */
        get: operations["listProductFavorites"];
        put?: never;
        /**
         * Create favorite
         * @description Favors a product, once or several times.
         */
        post: operations["createFavorite"];
        /**
         * Delete favorite
         * @description Withdraws the current user's favorite of a product; answers it as it was.
         */
        delete: operations["deleteFavorite"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/{userId}/favorites": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List user favorites
         * @description Favorites of a user, newest first; anonymous ones are shown to the user alone.
         */
        get: operations["listUserFavorites"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/items": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List items
         * @description All items with their variants, in display order.
         */
        get: operations["listItems"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/materials": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List materials
         * @description The current user's materials, or those of another user that are published; newest first.
         */
        get: operations["listMaterials"];
        put?: never;
        /**
         * Create material
         * @description Makes a material of an image, and products of it.
         */
        post: operations["createMaterial"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/materials/{materialId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get material
         * @description One material with the products that the current user may see. (Extension.)
         */
        get: operations["getMaterial"];
        /**
         * Update material
         * @description Changes what is sent; products are changed where the material has one of the item, else made.
         */
        put: operations["updateMaterial"];
        post?: never;
        /**
         * Delete material
         * @description Deletes a material and its products.
         */
        delete: operations["deleteMaterial"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/materials/text": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create text material
         * @description Makes a material of a text, and a T-shirt of it.
         */
        post: operations["createTextMaterial"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/products": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List products
         * @description Published products and the current user's unpublished ones, newest first.
         */
        get: operations["listProducts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/products/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search products
         * @description Products with all words in the title or the name of the item, newest first.
         */
        get: operations["searchProducts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/products/on_sale": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List products on sale
         * @description Products that cost less at the moment, newest first.
         */
        get: operations["listProductsOnSale"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/products/{productId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get product
         * @description One product with all variants of its item.
         */
        get: operations["getProduct"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/promotions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List promotions
         * @description All promotions, newest first. (Extension.)
         */
        get: operations["listPromotions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/schema": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get hyper-schema
         * @description The API as JSON Hyper-Schema, draft 4.
         */
        get: operations["getHyperSchema"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get OpenAPI document
         * @description The API as OpenAPI 3.1. (Extension.)
         */
        get: operations["getOpenAPIDocument"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List users
         * @description Users, newest first.
         */
        get: operations["listUsers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/{userId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get user
         * @description One user.
         */
        get: operations["getUser"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/user": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get current user
         * @description The user of the token, with the e-mail address.
         */
        get: operations["getCurrentUser"];
        /**
         * Update current user
         * @description Changes what is sent of the user of the token.
         */
        put: operations["updateCurrentUser"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * Activity
         * @description Something that happened on the site and that a user is told of.
         */
        Activity: {
            /** @description activity id, 32 hexadecimal digits */
            id: string;
            /** @description what happened, for people */
            message: string;
            /** @description how long ago, for people */
            timeago: string;
            /**
             * @description kind of occurrence
             * @enum {string}
             */
            eventType: "favorite" | "sale" | "material";
            /**
             * @description kind of action
             * @enum {string}
             */
            eventAction: "provide" | "render";
            /** @description when it happened */
            createdAt: string;
            /** @description who caused it */
            sender: components["schemas"]["User"];
            /** @description who is told of it */
            receiver: components["schemas"]["User"];
            /** @description always null */
            event: null;
        };
        /**
         * Banner
         * @description An image that leads somewhere, shown on the pages of the shop.
         */
        Banner: {
            /** @description unique id */
            id: number;
            /** @description size in which the banner is shown */
            displaySize: string;
            /** @description banner image URL */
            imageUrl: string;
        };
        /**
         * Category
         * @description A group of items.
         */
        Category: {
            /** @description unique name */
            name: string;
            /** @description category image URLs by format */
            imageUrls: {
                [key: string]: string;
            };
            /** @description items of the category, in display order */
            items: components["schemas"]["Item"][];
        };
        /**
         * Choice
         * @description A user's list of products.
         */
        Choice: {
            /** @description unique id */
            id: number;
            /** @description title */
            title: string;
            /** @description description */
            description: string | null;
            /** @description private flag: true hides the choice from everybody but its owner */
            secret: boolean;
            /**
             * Format: uri
             * @description banner image URL of the choice page
             */
            bannerUrl: string | null;
            /** @description number of entries, pairs of a product and a variant, whose product the asking user may see */
            productsCount: number;
            /** @description owner of the choice */
            user: components["schemas"]["UserSummary"];
        };
        /**
         * Favorite
         * @description One user's favorites of one product.
         */
        Favorite: {
            /** @description unique id */
            id: number;
            /** @description number of this user's favorites on the product */
            count: number;
            /** @description favored product */
            productId: number;
        };
        /**
         * Favorite of product
         * @description A favorite in the list of a product: with who favored it.
         */
        FavoriteOfProduct: {
            /** @description unique id */
            id: number;
            /** @description number of this user's favorites on the product */
            count: number;
            /** @description favored product */
            productId: number;
            /** @description who favors the product */
            user: components["schemas"]["UserSummary"];
        };
        /**
         * Favorite of user
         * @description A favorite in the list of a user: with what was favored.
         */
        FavoriteOfUser: {
            /** @description unique id */
            id: number;
            /** @description number of this user's favorites on the product */
            count: number;
            /** @description favored product */
            product: components["schemas"]["Product"];
        };
        /**
         * Identity
         * @description An external service with which a user signs in.
         */
        Identity: {
            /** @description unique id */
            id: number;
            /** @description name of the linked external service */
            provider: string;
            /** @description user id on that service */
            uid: string | null;
            /** @description user name on that service */
            nickname: string | null;
            /** @description user page URL on that service */
            url: string | null;
        };
        /**
         * Item
         * @description A kind of thing that can be printed, such as a T-shirt.
         */
        Item: {
            /** @description unique id */
            id: number;
            /** @description unique name */
            name: string;
            /** @description display name */
            humanizeName: string;
            /** @description angle kinds of the item image */
            angles: string[];
            /** @description printable places */
            availablePrintPlaces: string[];
            /** @description print place selected by default */
            defaultPrintPlace: string;
            /** @description sort order in item lists */
            displayOrder: number;
            /** @description angles selectable as the exemplary angle */
            essentialAngles: string[];
            /** @description angles not selectable as the exemplary angle */
            extraAngles: string[];
            /** @description item icon URLs by format */
            iconUrls: {
                [key: string]: string;
            };
            /** @description worn-item image URLs by format */
            wearingImageUrls: {
                [key: string]: string;
            };
            /** @description true when there are two or more printable places */
            isMultiPrintable: boolean;
            /** @description embroidery item */
            isEmbroidery: boolean;
            /** @description display name per print place */
            printPlaceDisplayNames: {
                [key: string]: string;
            };
            /** @description item name to (extra angle to print place) */
            printPlaceForExtraAngles: {
                [key: string]: {
                    [key: string]: string;
                };
            };
            /** @description descriptions of product-page images */
            imageDescriptions: string[];
            /** @description product image URL template per angle */
            productImageUrlTemplates: {
                [key: string]: string;
            };
        };
        /**
         * Item color
         * @description A colour of an item.
         */
        ItemColor: {
            /** @description unique id */
            id: number;
            /** @description unique name */
            name: string;
            /** @description display name */
            displayName: string;
            /** @description colour as hexadecimal text */
            rgb: string;
        };
        /**
         * Item size
         * @description A size of an item.
         */
        ItemSize: {
            /** @description unique id */
            id: number;
            /** @description unique name */
            name: string;
            /** @description display name */
            displayName: string;
        };
        /**
         * Item variant
         * @description An item in one colour and one size, with its price.
         */
        ItemVariant: {
            /** @description unique id */
            id: number;
            /** @description colour of the variant */
            color: components["schemas"]["ItemColor"];
            /** @description size of the variant */
            size: components["schemas"]["ItemSize"];
            /** @description price excluding tax, without the prices of print places */
            price: number;
            /** @description price including tax, without the prices of print places */
            priceWithTax: number;
            /** @description the variant shown on product list pages */
            exemplary: boolean;
            /** @description can be ordered */
            enabled: boolean;
            /** @description light-colour flag */
            isLightColor: boolean;
            /** @description dark-colour flag */
            isDarkColor: boolean;
            /** @description printable places */
            printPlaces: components["schemas"]["PrintPlace"][];
        };
        /**
         * Listed item
         * @description An item in the item list: with its variants and what a list page shows.
         */
        ListedItem: {
            /** @description unique id */
            id: number;
            /** @description unique name */
            name: string;
            /** @description display name */
            humanizeName: string;
            /** @description angle kinds of the item image */
            angles: string[];
            /** @description printable places */
            availablePrintPlaces: string[];
            /** @description print place selected by default */
            defaultPrintPlace: string;
            /** @description sort order in item lists */
            displayOrder: number;
            /** @description angles selectable as the exemplary angle */
            essentialAngles: string[];
            /** @description angles not selectable as the exemplary angle */
            extraAngles: string[];
            /** @description item icon URLs by format */
            iconUrls: {
                [key: string]: string;
            };
            /** @description worn-item image URLs by format */
            wearingImageUrls: {
                [key: string]: string;
            };
            /** @description true when there are two or more printable places */
            isMultiPrintable: boolean;
            /** @description embroidery item */
            isEmbroidery: boolean;
            /** @description display name per print place */
            printPlaceDisplayNames: {
                [key: string]: string;
            };
            /** @description item name to (extra angle to print place) */
            printPlaceForExtraAngles: {
                [key: string]: {
                    [key: string]: string;
                };
            };
            /** @description descriptions of product-page images */
            imageDescriptions: string[];
            /** @description product image URL template per angle */
            productImageUrlTemplates: {
                [key: string]: string;
            };
            /** @description colour and size combinations */
            variants: components["schemas"]["ItemVariant"][];
            /** @description category of the item */
            category: {
                /** @description unique name */
                name: string;
                /** @description display name */
                displayName: string;
            };
            /** @description lowest tax-included price of the enabled variants */
            minPriceWithTax: number;
            /** @description number of colours */
            colorsCount: number;
            /** @description size of the print per printable place (addition) */
            printAreas: {
                [key: string]: {
                    /** @description size of an image that fills the place and is not enlarged for print */
                    pixels: {
                        /** @description width */
                        width: number;
                        /** @description height */
                        height: number;
                    };
                    /** @description size of the print */
                    millimetres: {
                        /** @description width */
                        width: number;
                        /** @description height */
                        height: number;
                    };
                };
            };
        };
        /**
         * Material
         * @description An uploaded image that products are made of.
         */
        Material: {
            /** @description unique id */
            id: number;
            /** @description title */
            title: string;
            /** @description description */
            description: string | null;
            /** @description creator margin added to the item variant price */
            price: number;
            /** @description tax-included price of the margin */
            priceWithTax: number;
            /** @description true when the material violates the rules */
            violation: boolean;
            /** @description true when one of its products is published */
            published: boolean;
            /** @description first publication */
            publishedAt: string | null;
            /** @description when the image was uploaded */
            uploadedAt: string;
            /** @description dominant colour as hexadecimal text */
            dominantRgb: string | null;
            /** @description image width in pixels */
            originalWidth: number;
            /** @description image height in pixels */
            originalHeight: number;
            /** @description who uploaded the image */
            user: components["schemas"]["UserSummary"];
        };
        /**
         * Placed favorite
         * @description A favorite as answered when it is made: where its stamp lands on the image.
         */
        PlacedFavorite: {
            /** @description unique id */
            id: number;
            /** @description number of this user's favorites on the product */
            count: number;
            /** @description rotation of the stamp in degrees, -30 to 30 */
            rotation: number;
            /** @description horizontal place of the stamp, 0 to 1 */
            x: number;
            /** @description vertical place of the stamp, 0 to 1 */
            y: number;
        };
        /**
         * Print place
         * @description A place of an item variant that can be printed, with what it adds to the price.
         */
        PrintPlace: {
            /** @description unique id */
            id: number;
            /** @description name of the place */
            place: string;
            /** @description amount added when printing there */
            price: number;
            /** @description the variant that has this place */
            itemVariantId: number;
        };
        /**
         * Print warning
         * @description Something that may disappoint about the print of a product; it hinders nothing.
         */
        PrintWarning: {
            /** @description item of the product */
            itemId: number;
            /** @description print place */
            printPlace: string;
            /**
             * @description stable name of what it is
             * @enum {string}
             */
            code: "low-resolution" | "upscaled" | "fully-transparent" | "cropped";
            /** @description what it is in words and numbers */
            message: string;
        };
        /**
         * Problem
         * @description The body of every failure (RFC 9457).
         */
        Problem: {
            /** @description page that explains the code */
            type: string;
            /** @description the kind of failure in words */
            title: string;
            /** @description HTTP status */
            status: number;
            /** @description what is wrong with this request */
            detail: string;
            /** @description stable name of the kind of failure */
            code: string | ("token.missing" | "token.invalid" | "token.insufficient-scope" | "request.invalid" | "service.overloaded" | "service.unavailable" | "service.no-answer" | "service.failed" | "choice.not-found" | "request.too-large" | "request.unsupported-media-type" | "request.body-not-json" | "rate-limit.exceeded" | "idempotency-key.reused" | "idempotency-key.in-progress" | "idempotency-key.too-many" | "choice.too-many" | "product.not-found" | "item-variant.not-of-item" | "item-variant.disabled" | "choice.not-owned" | "choice.full" | "user.not-found" | "favorite.not-found" | "material.not-found" | "item.not-found" | "item.embroidery" | "print-place.not-of-item" | "resize-mode.not-allowed" | "product.duplicate-item" | "texture.address-refused" | "texture.not-fetched" | "texture.empty" | "texture.too-large" | "texture.quota-exceeded" | "texture.unsupported-format" | "texture.not-decoded" | "text.blank" | "text.not-printable" | "item-variant.not-standard-t-shirt" | "material.not-owned" | "request.headers-too-large");
            /** @description the same as detail, for older clients */
            message: string;
            /** @description every offending place */
            errors?: {
                /** @description offending place of the request */
                path: string;
                /** @description what is wrong there */
                message: string;
            }[];
            /** @description id of the request, also in the header X-Request-Id */
            requestId: string;
        };
        /**
         * Product
         * @description A material on an item: what people buy.
         */
        Product: {
            /** @description unique id */
            id: number;
            /** @description title of the material and display name of the item */
            title: string;
            /** @description published flag */
            published: boolean;
            /** @description publication time */
            publishedAt: string | null;
            /** @description creation time */
            createdAt: string;
            /** @description update time */
            updatedAt: string;
            /** @description representative angle */
            examplaryAngle: string | null;
            /** @description image URL template; `{width}x{height}`, `{size}/{color}` and `[/angle]` are to be filled */
            imageUrl: string;
            /** @description a filled-in image URL */
            sampleImageUrl: string;
            /** @description the same image as PNG (addition) */
            pngSampleImageUrl: string;
            /** @description one filled-in image URL per essential angle (addition) */
            sampleImageUrls: string[];
            /** @description product page URL template; `{size}/{color}` are to be filled */
            url: string;
            /** @description a filled-in product page URL */
            sampleUrl: string;
            /** @description product price excluding tax (addition) */
            price: number;
            /** @description product price including tax */
            priceWithTax: number;
            /** @description discounted price excluding tax (addition) */
            discountedPrice: number;
            /** @description discounted price including tax */
            discountedPriceWithTax: number;
            /** @description always false (addition) */
            secret: boolean;
            /**
             * @description how the image is laid into the print area (addition)
             * @enum {string|null}
             */
            resizeMode: "contain" | "cover" | null;
            /** @description item that is printed */
            item: components["schemas"]["Item"];
            /** @description material that is printed on it */
            material: components["schemas"]["Material"];
            /** @description variant of the item that the sample image shows */
            sampleItemVariant: components["schemas"]["ItemVariant"];
        };
        /**
         * Product detail
         * @description The answer for one product: with all variants of its item.
         */
        ProductDetail: {
            /** @description unique id */
            id: number;
            /** @description title of the material and display name of the item */
            title: string;
            /** @description published flag */
            published: boolean;
            /** @description publication time */
            publishedAt: string | null;
            /** @description creation time */
            createdAt: string;
            /** @description update time */
            updatedAt: string;
            /** @description representative angle */
            examplaryAngle: string | null;
            /** @description image URL template; `{width}x{height}`, `{size}/{color}` and `[/angle]` are to be filled */
            imageUrl: string;
            /** @description a filled-in image URL */
            sampleImageUrl: string;
            /** @description the same image as PNG (addition) */
            pngSampleImageUrl: string;
            /** @description one filled-in image URL per essential angle (addition) */
            sampleImageUrls: string[];
            /** @description product page URL template; `{size}/{color}` are to be filled */
            url: string;
            /** @description a filled-in product page URL */
            sampleUrl: string;
            /** @description product price excluding tax (addition) */
            price: number;
            /** @description product price including tax */
            priceWithTax: number;
            /** @description discounted price excluding tax (addition) */
            discountedPrice: number;
            /** @description discounted price including tax */
            discountedPriceWithTax: number;
            /** @description always false (addition) */
            secret: boolean;
            /**
             * @description how the image is laid into the print area (addition)
             * @enum {string|null}
             */
            resizeMode: "contain" | "cover" | null;
            /** @description item that is printed */
            item: components["schemas"]["Item"];
            /** @description material that is printed on it */
            material: components["schemas"]["Material"];
            /** @description variant of the item that the sample image shows */
            sampleItemVariant: components["schemas"]["ItemVariant"];
            /** @description all variants of the item */
            itemVariants: components["schemas"]["ItemVariant"][];
        };
        /**
         * Profile
         * @description What a user tells of themselves.
         */
        Profile: {
            /** @description the user's home page URL */
            url: string | null;
            /** @description profile text */
            body: string | null;
            /** @description header image URL of the profile page */
            headerUrl: string | null;
        };
        /**
         * Promotion
         * @description Something that the shop wants people to know of.
         */
        Promotion: {
            /** @description unique id */
            id: number;
            /** @description name */
            name: string;
            /** @description kind of promotion */
            category: string;
            /** @description page of the promotion */
            url: string;
        };
        /**
         * Schema
         * @description A document that describes this API.
         */
        Schema: {
            /** @description name of the API for programs */
            id: string;
            /** @description name of the API */
            title: string;
            /** @description what the API is for */
            description: string;
            /** @description type of the document */
            type: string[];
            /** @description where the API is */
            links: {
                /** @description address */
                href: string;
                /** @description what is there */
                rel: string;
            }[];
            /** @description the resources by name */
            definitions: Record<string, never>;
            /** @description the same resources, by reference */
            properties: Record<string, never>;
        };
        /**
         * Self user
         * @description The user of the token: the only answer that holds the e-mail address.
         */
        SelfUser: {
            /** @description unique id */
            id: number;
            /** @description unique name */
            name: string;
            /** @description name shown on pages */
            displayName: string | null;
            /** @description avatar image URL */
            avatarUrl: string | null;
            /** @description what the user tells of themselves */
            profile: components["schemas"]["Profile"];
            /** @description external services used by the user to authenticate */
            identities: components["schemas"]["Identity"][];
            /** @description official-user flag */
            official: boolean;
            /** @description e-mail address */
            email: string;
        };
        /**
         * User
         * @description A user of the site.
         */
        User: {
            /** @description unique id */
            id: number;
            /** @description unique name */
            name: string;
            /** @description name shown on pages */
            displayName: string | null;
            /** @description avatar image URL */
            avatarUrl: string | null;
            /** @description what the user tells of themselves */
            profile: components["schemas"]["Profile"];
            /** @description external services used by the user to authenticate */
            identities: components["schemas"]["Identity"][];
            /** @description official-user flag */
            official: boolean;
        };
        /**
         * User summary
         * @description A user as embedded in materials, choices and favorites.
         */
        UserSummary: {
            /** @description unique user id */
            id: number;
            /** @description unique user name */
            name: string;
            /** @description name shown on pages */
            displayName: string | null;
            /** @description avatar image URL */
            avatarUrl: string | null;
        };
        /** @description place of the page in the list */
        PageMeta: {
            /** @description true when there is a further page */
            hasNext: boolean;
        };
        MaterialInput: {
            /** @description image as URL or data URI, 20 MB at most */
            texture: string;
            /** @description title, 1 to 255 characters */
            title: string;
            /**
             * @description margin, added to the price of the variant
             * @default 0
             */
            price?: number;
            /**
             * @description description, at most 10,000 characters
             * @default null
             */
            description?: string | null;
            /**
             * @description products to make, one per item
             * @default []
             */
            products?: components["schemas"]["ProductInput"][];
        };
        MaterialUpdateInput: {
            /** @description title, 1 to 255 characters */
            title?: string;
            /** @description margin, added to the price of the variant */
            price?: number;
            /** @description description, at most 10,000 characters */
            description?: string | null;
            /** @description products to change, or to make where the material has none of the item */
            products?: components["schemas"]["ProductUpdateInput"][];
        };
        TextMaterialInput: {
            /** @description text to print, at most 255 characters */
            text: string;
            /** @description variant of the standard T-shirt; white M by default */
            itemVariantId?: number;
            /** @description title; the first line of the text by default (addition) */
            title?: string;
            /**
             * @description margin (addition)
             * @default 0
             */
            price?: number;
            /**
             * @description description (addition)
             * @default null
             */
            description?: string | null;
        };
        ProductInput: {
            /** @description item of the product; may be left out when a variant names it */
            itemId?: number;
            /** @description representative variant; the item's own by default, kept on update */
            exemplaryItemVariantId?: number;
            /**
             * @description contain shows the whole image, cover fills the print area where the item allows it
             * @enum {string|null}
             */
            resizeMode?: "contain" | "cover" | null;
            /**
             * @description true publishes the product
             * @default false
             */
            published?: boolean;
            /**
             * @description images for further sides
             * @default []
             */
            sub_materials?: components["schemas"]["SubMaterialInput"][];
        };
        ProductUpdateInput: {
            /** @description item of the product; may be left out when a variant names it */
            itemId?: number;
            /** @description representative variant; the item's own by default, kept on update */
            exemplaryItemVariantId?: number;
            /**
             * @description contain shows the whole image, cover fills the print area where the item allows it
             * @enum {string|null}
             */
            resizeMode?: "contain" | "cover" | null;
            /** @description true publishes the product, false hides it */
            published?: boolean;
        };
        SubMaterialInput: {
            /** @description image as URL or data URI */
            texture: string;
            /** @description side to print */
            printSide: string;
            /**
             * @description prints the side when true
             * @default true
             */
            enabled?: boolean;
        };
        FavoriteInput: {
            /** @description true makes the favorite anonymous (published spelling) */
            anonymouse?: boolean;
            /** @description the same, spelled as in a dictionary (addition) */
            anonymous?: boolean;
            /**
             * @description number of favorites to add
             * @default 1
             */
            count?: number;
        };
        ChoiceInput: {
            /** @description title, 1 to 255 characters */
            title: string;
            /** @description description, at most 10,000 characters */
            description?: string;
            /**
             * Format: uri
             * @description banner image URL
             */
            bannerUrl?: string;
            /** @description true hides the choice from everybody else (addition) */
            secret?: boolean;
            /**
             * @description products of the choice, in order
             * @default []
             */
            choiceProducts?: {
                /** @description product */
                productId: number;
                /** @description variant; the representative one by default */
                itemVariantId?: number;
            }[];
        };
        ChoiceUpdateInput: {
            /** @description title, 1 to 255 characters */
            title?: string;
            /** @description description, at most 10,000 characters */
            description?: string | null;
            /**
             * Format: uri
             * @description banner image URL
             */
            bannerUrl?: string | null;
            /** @description true hides the choice from everybody else (addition) */
            secret?: boolean;
            /** @description products of the choice, in order */
            choiceProducts?: {
                /** @description product */
                productId: number;
                /** @description variant; the representative one by default */
                itemVariantId?: number;
            }[];
        };
        ChoiceProductInput: {
            /** @description product */
            productId?: number;
            /** @description variant; the representative one by default */
            itemVariantId?: number;
        };
        UserUpdateInput: {
            /** @description name shown on pages */
            displayName?: string | null;
            /**
             * Format: uri
             * @description avatar image URL
             */
            avatarUrl?: string | null;
            /** @description what the user tells of themselves */
            profile?: {
                /**
                 * Format: uri
                 * @description the user's home page URL
                 */
                url?: string | null;
                /** @description profile text */
                body?: string | null;
                /**
                 * Format: uri
                 * @description header image URL of the profile page
                 */
                headerUrl?: string | null;
            };
        };
    };
    responses: never;
    parameters: {
        /** @description Makes the request safe to send again: for 24 hours the same key gets the first answer. */
        IdempotencyKey: string;
        /** @description The ETag that the client has: 304 when it is still the one. */
        IfNoneMatch: string;
        /** @description Language of texts for people: English (en) or Japanese (ja). */
        AcceptLanguage: string;
    };
    requestBodies: never;
    headers: {
        /** @description Id of the request, for the log; the one that the client sent, when it is sane. */
        "X-Request-Id": string;
        /** @description How often the operation may be asked for in one period. */
        "X-RateLimit-Limit": number;
        /** @description How often it may still be asked for in this period. */
        "X-RateLimit-Remaining": number;
        /** @description When the period ends, in seconds since 1970 (UTC). */
        "X-RateLimit-Reset": number;
        /** @description Address of the next page, when there is one. */
        Link: string;
        /** @description Entity tag of the answer, for If-None-Match. */
        ETag: string;
        /** @description Present when this is the kept answer to an earlier request with the same key. */
        "Idempotency-Replayed": "true";
        /** @description Seconds to wait before the next attempt. */
        "Retry-After": number;
        /** @description What the token lacks (RFC 6750). */
        "WWW-Authenticate": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listActivities: {
        parameters: {
            query?: {
                /** @description how many at most */
                limit?: number;
            };
            header?: {
                /** @description Language of texts for people: English (en) or Japanese (ja). */
                "Accept-Language"?: components["parameters"]["AcceptLanguage"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Newest activities of the current user, which are read from then on. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        activities: components["schemas"]["Activity"][];
                    };
                };
            };
            /** @description `request.invalid`: The request has the wrong shape. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `token.missing`: An access token is needed.
             *
             *     `token.invalid`: The access token is not valid.
             *
             *     `token.insufficient-scope`: The access token lacks a scope.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `service.failed`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `service.overloaded`: The service is overloaded.
             *
             *     `service.unavailable`: A part of the service is down.
             */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `service.no-answer`: No answer before the deadline. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    countUnreadActivities: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Number of activities that no list has answered yet. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description number of unread activities */
                        unreads: number;
                    };
                };
            };
            /**
             * @description `token.missing`: An access token is needed.
             *
             *     `token.invalid`: The access token is not valid.
             *
             *     `token.insufficient-scope`: The access token lacks a scope.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `service.failed`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `service.overloaded`: The service is overloaded.
             *
             *     `service.unavailable`: A part of the service is down.
             */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `service.no-answer`: No answer before the deadline. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listBanners: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All banners, newest first. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        banners: components["schemas"]["Banner"][];
                    };
                };
            };
            /**
             * @description `token.missing`: An access token is needed.
             *
             *     `token.invalid`: The access token is not valid.
             *
             *     `token.insufficient-scope`: The access token lacks a scope.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `service.failed`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `service.overloaded`: The service is overloaded.
             *
             *     `service.unavailable`: A part of the service is down.
             */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `service.no-answer`: No answer before the deadline. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listCategories: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag that the client has: 304 when it is still the one. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All categories with their items, in display order. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        categories: components["schemas"]["Category"][];
                    };
                };
            };
            /** @description Still what the entity tag names. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /**
             * @description `token.missing`: An access token is needed.
             *
             *     `token.invalid`: The access token is not valid.
             *
             *     `token.insufficient-scope`: The access token lacks a scope.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `service.failed`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `service.overloaded`: The service is overloaded.
             *
             *     `service.unavailable`: A part of the service is down.
             */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `service.no-answer`: No answer before the deadline. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listChoices: {
        parameters: {
            query?: {
                /** @description page size */
                limit?: number;
                /** @description number of entries to skip; higher is older */
                offset?: number;
                /** @description only those of this user */
                userId?: number;
                /** @description only those of the user with this name */
                userName?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Choices that everybody may see and the current user's own secret ones, newest first. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        choices: components["schemas"]["Choice"][];
                        meta: components["schemas"]["PageMeta"];
                    };
                };
            };
            /** @description `request.invalid`: The request has the wrong shape. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `token.missing`: An access token is needed.
             *
             *     `token.invalid`: The access token is not valid.
             *
             *     `token.insufficient-scope`: The access token lacks a scope.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `service.failed`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `service.overloaded`: The service is overloaded.
             *
             *     `service.unavailable`: A part of the service is down.
             */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `service.no-answer`: No answer before the deadline. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createChoice: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to send again: for 24 hours the same key gets the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChoiceInput"];
            };
        };
        responses: {
            /** @description Makes a choice of the current user. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        choice: components["schemas"]["Choice"];
                    };
                };
            };
            /**
             * @description `request.body-not-json`: The body is not JSON.
             *
             *     `request.invalid`: The request has the wrong shape.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `token.missing`: An access token is needed.
             *
             *     `token.invalid`: The access token is not valid.
             *
             *     `token.insufficient-scope`: The access token lacks a scope.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /** @description Only where the token is valid and lacks a scope. */
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    /** @description Only where the token is valid and lacks a scope. */
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    /** @description Only where the token is valid and lacks a scope. */
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `product.not-found`: There is no such product. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `idempotency-key.reused`: The key belongs to another request.
             *
             *     `idempotency-key.in-progress`: The first request with this key is still running.
             */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request.too-large`: The body is too large. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request.unsupported-media-type`: The content type is not supported. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `idempotency-key.too-many`: There are too many keys of one day.
             *
             *     `choice.too-many`: The user has no room for more choices.
             *
             *     `item-variant.not-of-item`: The item has no such variant.
             *
             *     `item-variant.disabled`: The variant cannot be ordered.
             */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate-limit.exceeded`: Too many requests of this kind. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `service.failed`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `service.overloaded`: The service is overloaded.
             *
             *     `service.unavailable`: A part of the service is down.
             */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `service.no-answer`: No answer before the deadline. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getChoice: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the choice */
                choiceId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One choice. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        choice: components["schemas"]["Choice"];
                    };
                };
            };
            /** @description `request.invalid`: The request has the wrong shape. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `token.missing`: An access token is needed.
             *
             *     `token.invalid`: The access token is not valid.
             *
             *     `token.insufficient-scope`: The access token lacks a scope.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `choice.not-found`: There is no such choice. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `service.failed`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `service.overloaded`: The service is overloaded.
             *
             *     `service.unavailable`: A part of the service is down.
             */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `service.no-answer`: No answer before the deadline. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateChoice: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the choice */
                choiceId: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ChoiceUpdateInput"];
            };
        };
        responses: {
            /** @description Changes what is sent; choiceProducts replaces the whole list. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        choice: components["schemas"]["Choice"];
                    };
                };
            };
            /**
             * @description `request.body-not-json`: The body is not JSON.
             *
             *     `request.invalid`: The request has the wrong shape.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `token.missing`: An access token is needed.
             *
             *     `token.invalid`: The access token is not valid.
             *
             *     `token.insufficient-scope`: The access token lacks a scope.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /** @description Only where the token is valid and lacks a scope. */
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    /** @description Only where the token is valid and lacks a scope. */
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    /** @description Only where the token is valid and lacks a scope. */
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `choice.not-owned`: The choice belongs to somebody else. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `choice.not-found`: There is no such choice.
             *
             *     `product.not-found`: There is no such product.
             */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request.too-large`: The body is too large. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request.unsupported-media-type`: The content type is not supported. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `item-variant.not-of-item`: The item has no such variant.
             *
             *     `item-variant.disabled`: The variant cannot be ordered.
             */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate-limit.exceeded`: Too many requests of this kind. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `service.failed`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `service.overloaded`: The service is overloaded.
             *
             *     `service.unavailable`: A part of the service is down.
             */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `service.no-answer`: No answer before the deadline. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    addChoiceProduct: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to send again: for 24 hours the same key gets the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description id of the choice */
                choiceId: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ChoiceProductInput"];
            };
        };
        responses: {
            /** @description Adds a product, in one of its variants; one that is there already stays once. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        choice: components["schemas"]["Choice"];
                    };
                };
            };
            /**
             * @description `request.body-not-json`: The body is not JSON.
             *
             *     `request.invalid`: The request has the wrong shape.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `token.missing`: An access token is needed.
             *
             *     `token.invalid`: The access token is not valid.
             *
             *     `token.insufficient-scope`: The access token lacks a scope.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /** @description Only where the token is valid and lacks a scope. */
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    /** @description Only where the token is valid and lacks a scope. */
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    /** @description Only where the token is valid and lacks a scope. */
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `choice.not-owned`: The choice belongs to somebody else. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `choice.not-found`: There is no such choice.
             *
             *     `product.not-found`: There is no such product.
             */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `idempotency-key.reused`: The key belongs to another request.
             *
             *     `idempotency-key.in-progress`: The first request with this key is still running.
             */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request.too-large`: The body is too large. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request.unsupported-media-type`: The content type is not supported. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `idempotency-key.too-many`: There are too many keys of one day.
             *
             *     `choice.full`: The choice has no room for more products.
             *
             *     `item-variant.not-of-item`: The item has no such variant.
             *
             *     `item-variant.disabled`: The variant cannot be ordered.
             */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate-limit.exceeded`: Too many requests of this kind. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `service.failed`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `service.overloaded`: The service is overloaded.
             *
             *     `service.unavailable`: A part of the service is down.
             */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `service.no-answer`: No answer before the deadline. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteChoice: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the choice */
                choiceId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `request.invalid`: The request has the wrong shape. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `token.missing`: An access token is needed.
             *
             *     `token.invalid`: The access token is not valid.
             *
             *     `token.insufficient-scope`: The access token lacks a scope.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /** @description Only where the token is valid and lacks a scope. */
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    /** @description Only where the token is valid and lacks a scope. */
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    /** @description Only where the token is valid and lacks a scope. */
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `choice.not-owned`: The choice belongs to somebody else. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `choice.not-found`: There is no such choice. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate-limit.exceeded`: Too many requests of this kind. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `service.failed`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `service.overloaded`: The service is overloaded.
             *
             *     `service.unavailable`: A part of the service is down.
             */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `service.no-answer`: No answer before the deadline. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    removeChoiceProduct: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to send again: for 24 hours the same key gets the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description id of the choice */
                choiceId: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ChoiceProductInput"];
            };
        };
        responses: {
            /** @description Removes a product: in the named variant, or in all of them. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        choice: components["schemas"]["Choice"];
                    };
                };
            };
            /**
             * @description `request.body-not-json`: The body is not JSON.
             *
             *     `request.invalid`: The request has the wrong shape.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `token.missing`: An access token is needed.
             *
             *     `token.invalid`: The access token is not valid.
             *
             *     `token.insufficient-scope`: The access token lacks a scope.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /** @description Only where the token is valid and lacks a scope. */
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    /** @description Only where the token is valid and lacks a scope. */
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    /** @description Only where the token is valid and lacks a scope. */
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `choice.not-owned`: The choice belongs to somebody else. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `choice.not-found`: There is no such choice. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `idempotency-key.reused`: The key belongs to another request.
             *
             *     `idempotency-key.in-progress`: The first request with this key is still running.
             */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request.too-large`: The body is too large. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request.unsupported-media-type`: The content type is not supported. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `idempotency-key.too-many`: There are too many keys of one day. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate-limit.exceeded`: Too many requests of this kind. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `service.failed`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `service.overloaded`: The service is overloaded.
             *
             *     `service.unavailable`: A part of the service is down.
             */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `service.no-answer`: No answer before the deadline. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listChoiceProducts: {
        parameters: {
            query?: {
                /** @description page size */
                limit?: number;
                /** @description number of entries to skip; higher is older */
                offset?: number;
            };
            header?: {
                /** @description The ETag that the client has: 304 when it is still the one. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description id of the choice */
                choiceId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Products of a choice that the current user may see, last added first. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Link: components["headers"]["Link"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        products: components["schemas"]["Product"][];
                        meta: components["schemas"]["PageMeta"];
                    };
                };
            };
            /** @description Still what the entity tag names. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `request.invalid`: The request has the wrong shape. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `token.missing`: An access token is needed.
             *
             *     `token.invalid`: The access token is not valid.
             *
             *     `token.insufficient-scope`: The access token lacks a scope.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `choice.not-found`: There is no such choice. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `service.failed`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `service.overloaded`: The service is overloaded.
             *
             *     `service.unavailable`: A part of the service is down.
             */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `service.no-answer`: No answer before the deadline. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listProductFavorites: {
        parameters: {
            query?: {
                /** @description page size */
                limit?: number;
                /** @description number of entries to skip; higher is older */
                offset?: number;
                /** @description only those on this item */
                itemId?: number;
            };
            header?: never;
            path: {
                /** @description id of the product */
                productId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Favorites of a product, newest first; anonymous ones are left out. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        favorites: components["schemas"]["FavoriteOfProduct"][];
                        meta: components["schemas"]["PageMeta"];
                    };
                };
            };
            /** @description `request.invalid`: The request has the wrong shape. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `token.missing`: An access token is needed.
             *
             *     `token.invalid`: The access token is not valid.
             *
             *     `token.insufficient-scope`: The access token lacks a scope.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `product.not-found`: There is no such product. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `service.failed`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `service.overloaded`: The service is overloaded.
             *
             *     `service.unavailable`: A part of the service is down.
             */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `service.no-answer`: No answer before the deadline. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createFavorite: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to send again: for 24 hours the same key gets the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description id of the product */
                productId: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["FavoriteInput"];
            };
        };
        responses: {
            /** @description Favors a product, once or several times. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        favorite: components["schemas"]["PlacedFavorite"];
                        /** @description favorites of the product */
                        meta: {
                            /** @description sum over all users */
                            totalCount: number;
                        };
                    };
                };
            };
            /**
             * @description `request.body-not-json`: The body is not JSON.
             *
             *     `request.invalid`: The request has the wrong shape.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `token.missing`: An access token is needed.
             *
             *     `token.invalid`: The access token is not valid.
             *
             *     `token.insufficient-scope`: The access token lacks a scope.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /** @description Only where the token is valid and lacks a scope. */
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    /** @description Only where the token is valid and lacks a scope. */
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    /** @description Only where the token is valid and lacks a scope. */
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `product.not-found`: There is no such product. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `idempotency-key.reused`: The key belongs to another request.
             *
             *     `idempotency-key.in-progress`: The first request with this key is still running.
             */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request.too-large`: The body is too large. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request.unsupported-media-type`: The content type is not supported. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `idempotency-key.too-many`: There are too many keys of one day. */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate-limit.exceeded`: Too many requests of this kind. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `service.failed`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `service.overloaded`: The service is overloaded.
             *
             *     `service.unavailable`: A part of the service is down.
             */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `service.no-answer`: No answer before the deadline. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteFavorite: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the product */
                productId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Withdraws the current user's favorite of a product; answers it as it was. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Favorite"];
                };
            };
            /** @description `request.invalid`: The request has the wrong shape. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `token.missing`: An access token is needed.
             *
             *     `token.invalid`: The access token is not valid.
             *
             *     `token.insufficient-scope`: The access token lacks a scope.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /** @description Only where the token is valid and lacks a scope. */
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    /** @description Only where the token is valid and lacks a scope. */
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    /** @description Only where the token is valid and lacks a scope. */
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `product.not-found`: There is no such product.
             *
             *     `favorite.not-found`: There is no such favorite.
             */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate-limit.exceeded`: Too many requests of this kind. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `service.failed`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `service.overloaded`: The service is overloaded.
             *
             *     `service.unavailable`: A part of the service is down.
             */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `service.no-answer`: No answer before the deadline. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listUserFavorites: {
        parameters: {
            query?: {
                /** @description page size */
                limit?: number;
                /** @description number of entries to skip; higher is older */
                offset?: number;
            };
            header?: never;
            path: {
                /** @description id of the user */
                userId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Favorites of a user, newest first; anonymous ones are shown to the user alone. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        favorites: components["schemas"]["FavoriteOfUser"][];
                        meta: components["schemas"]["PageMeta"];
                    };
                };
            };
            /** @description `request.invalid`: The request has the wrong shape. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `token.missing`: An access token is needed.
             *
             *     `token.invalid`: The access token is not valid.
             *
             *     `token.insufficient-scope`: The access token lacks a scope.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `user.not-found`: There is no such user. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `service.failed`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `service.overloaded`: The service is overloaded.
             *
             *     `service.unavailable`: A part of the service is down.
             */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `service.no-answer`: No answer before the deadline. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listItems: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag that the client has: 304 when it is still the one. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All items with their variants, in display order. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["ListedItem"][];
                    };
                };
            };
            /** @description Still what the entity tag names. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /**
             * @description `token.missing`: An access token is needed.
             *
             *     `token.invalid`: The access token is not valid.
             *
             *     `token.insufficient-scope`: The access token lacks a scope.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `service.failed`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `service.overloaded`: The service is overloaded.
             *
             *     `service.unavailable`: A part of the service is down.
             */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `service.no-answer`: No answer before the deadline. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listMaterials: {
        parameters: {
            query?: {
                /** @description page size */
                limit?: number;
                /** @description number of entries to skip; higher is older */
                offset?: number;
                /** @description only those of this user */
                userId?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The current user's materials, or those of another user that are published; newest first. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        materials: components["schemas"]["Material"][];
                        meta: components["schemas"]["PageMeta"];
                    };
                };
            };
            /** @description `request.invalid`: The request has the wrong shape. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `token.missing`: An access token is needed.
             *
             *     `token.invalid`: The access token is not valid.
             *
             *     `token.insufficient-scope`: The access token lacks a scope.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `service.failed`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `service.overloaded`: The service is overloaded.
             *
             *     `service.unavailable`: A part of the service is down.
             */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `service.no-answer`: No answer before the deadline. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createMaterial: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to send again: for 24 hours the same key gets the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Language of texts for people: English (en) or Japanese (ja). */
                "Accept-Language"?: components["parameters"]["AcceptLanguage"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MaterialInput"];
            };
        };
        responses: {
            /** @description Makes a material of an image, and products of it. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        material: components["schemas"]["Material"];
                        products: components["schemas"]["Product"][];
                        /** @description what may disappoint about the prints: one per product, printed place and code (addition) */
                        warnings: components["schemas"]["PrintWarning"][];
                    };
                };
            };
            /**
             * @description `request.body-not-json`: The body is not JSON.
             *
             *     `request.invalid`: The request has the wrong shape.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `token.missing`: An access token is needed.
             *
             *     `token.invalid`: The access token is not valid.
             *
             *     `token.insufficient-scope`: The access token lacks a scope.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /** @description Only where the token is valid and lacks a scope. */
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    /** @description Only where the token is valid and lacks a scope. */
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    /** @description Only where the token is valid and lacks a scope. */
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `idempotency-key.reused`: The key belongs to another request.
             *
             *     `idempotency-key.in-progress`: The first request with this key is still running.
             */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request.too-large`: The body is too large. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request.unsupported-media-type`: The content type is not supported. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `idempotency-key.too-many`: There are too many keys of one day.
             *
             *     `item.not-found`: There is no such item.
             *
             *     `item.embroidery`: The item cannot be made through the API.
             *
             *     `item-variant.not-of-item`: The item has no such variant.
             *
             *     `item-variant.disabled`: The variant cannot be ordered.
             *
             *     `print-place.not-of-item`: The item cannot be printed there.
             *
             *     `resize-mode.not-allowed`: The item does not allow this resize mode.
             *
             *     `product.duplicate-item`: An item may appear once.
             *
             *     `texture.address-refused`: The address of the image is not allowed.
             *
             *     `texture.not-fetched`: The image cannot be fetched.
             *
             *     `texture.empty`: The image is empty.
             *
             *     `texture.too-large`: The image is too large.
             *
             *     `texture.quota-exceeded`: The quota of images is exceeded.
             *
             *     `texture.unsupported-format`: The image format is not supported.
             *
             *     `texture.not-decoded`: The image cannot be read.
             */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate-limit.exceeded`: Too many requests of this kind. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `service.failed`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `service.overloaded`: The service is overloaded.
             *
             *     `service.unavailable`: A part of the service is down.
             */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `service.no-answer`: No answer before the deadline. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getMaterial: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the material */
                materialId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One material with the products that the current user may see. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        material: components["schemas"]["Material"];
                        products: components["schemas"]["Product"][];
                    };
                };
            };
            /** @description `request.invalid`: The request has the wrong shape. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `token.missing`: An access token is needed.
             *
             *     `token.invalid`: The access token is not valid.
             *
             *     `token.insufficient-scope`: The access token lacks a scope.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `material.not-found`: There is no such material. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `service.failed`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `service.overloaded`: The service is overloaded.
             *
             *     `service.unavailable`: A part of the service is down.
             */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `service.no-answer`: No answer before the deadline. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateMaterial: {
        parameters: {
            query?: never;
            header?: {
                /** @description Language of texts for people: English (en) or Japanese (ja). */
                "Accept-Language"?: components["parameters"]["AcceptLanguage"];
            };
            path: {
                /** @description id of the material */
                materialId: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["MaterialUpdateInput"];
            };
        };
        responses: {
            /** @description Changes what is sent; products are changed where the material has one of the item, else made. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        material: components["schemas"]["Material"];
                        products: components["schemas"]["Product"][];
                        /** @description what may disappoint about the prints: one per product, printed place and code (addition) */
                        warnings: components["schemas"]["PrintWarning"][];
                    };
                };
            };
            /**
             * @description `request.body-not-json`: The body is not JSON.
             *
             *     `request.invalid`: The request has the wrong shape.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `token.missing`: An access token is needed.
             *
             *     `token.invalid`: The access token is not valid.
             *
             *     `token.insufficient-scope`: The access token lacks a scope.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /** @description Only where the token is valid and lacks a scope. */
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    /** @description Only where the token is valid and lacks a scope. */
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    /** @description Only where the token is valid and lacks a scope. */
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `material.not-owned`: The material belongs to somebody else. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `material.not-found`: There is no such material. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request.too-large`: The body is too large. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request.unsupported-media-type`: The content type is not supported. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `item.not-found`: There is no such item.
             *
             *     `item.embroidery`: The item cannot be made through the API.
             *
             *     `item-variant.not-of-item`: The item has no such variant.
             *
             *     `item-variant.disabled`: The variant cannot be ordered.
             *
             *     `print-place.not-of-item`: The item cannot be printed there.
             *
             *     `resize-mode.not-allowed`: The item does not allow this resize mode.
             *
             *     `product.duplicate-item`: An item may appear once.
             */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate-limit.exceeded`: Too many requests of this kind. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `service.failed`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `service.overloaded`: The service is overloaded.
             *
             *     `service.unavailable`: A part of the service is down.
             */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `service.no-answer`: No answer before the deadline. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteMaterial: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the material */
                materialId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `request.invalid`: The request has the wrong shape. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `token.missing`: An access token is needed.
             *
             *     `token.invalid`: The access token is not valid.
             *
             *     `token.insufficient-scope`: The access token lacks a scope.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /** @description Only where the token is valid and lacks a scope. */
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    /** @description Only where the token is valid and lacks a scope. */
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    /** @description Only where the token is valid and lacks a scope. */
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `material.not-owned`: The material belongs to somebody else. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `material.not-found`: There is no such material. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate-limit.exceeded`: Too many requests of this kind. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `service.failed`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `service.overloaded`: The service is overloaded.
             *
             *     `service.unavailable`: A part of the service is down.
             */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `service.no-answer`: No answer before the deadline. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createTextMaterial: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes the request safe to send again: for 24 hours the same key gets the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /** @description Language of texts for people: English (en) or Japanese (ja). */
                "Accept-Language"?: components["parameters"]["AcceptLanguage"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TextMaterialInput"];
            };
        };
        responses: {
            /** @description Makes a material of a text, and a T-shirt of it. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        material: components["schemas"]["Material"];
                        products: components["schemas"]["Product"][];
                        /** @description what may disappoint about the prints: one per product, printed place and code (addition) */
                        warnings: components["schemas"]["PrintWarning"][];
                    };
                };
            };
            /**
             * @description `request.body-not-json`: The body is not JSON.
             *
             *     `request.invalid`: The request has the wrong shape.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `token.missing`: An access token is needed.
             *
             *     `token.invalid`: The access token is not valid.
             *
             *     `token.insufficient-scope`: The access token lacks a scope.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /** @description Only where the token is valid and lacks a scope. */
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    /** @description Only where the token is valid and lacks a scope. */
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    /** @description Only where the token is valid and lacks a scope. */
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `idempotency-key.reused`: The key belongs to another request.
             *
             *     `idempotency-key.in-progress`: The first request with this key is still running.
             */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request.too-large`: The body is too large. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request.unsupported-media-type`: The content type is not supported. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `idempotency-key.too-many`: There are too many keys of one day.
             *
             *     `text.blank`: The text has nothing to print.
             *
             *     `text.not-printable`: The text has characters that cannot be printed.
             *
             *     `texture.quota-exceeded`: The quota of images is exceeded.
             *
             *     `item-variant.not-standard-t-shirt`: The variant is not one of the standard T-shirt.
             */
            422: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate-limit.exceeded`: Too many requests of this kind. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `service.failed`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `service.overloaded`: The service is overloaded.
             *
             *     `service.unavailable`: A part of the service is down.
             */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `service.no-answer`: No answer before the deadline. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listProducts: {
        parameters: {
            query?: {
                /** @description page size */
                limit?: number;
                /** @description number of entries to skip; higher is older */
                offset?: number;
                /** @description only those on this item */
                itemId?: number;
                /** @description only those of this user */
                userId?: number;
                /** @description only those of the user with this name */
                userName?: string;
                /** @description only those of this material */
                materialId?: number;
            };
            header?: {
                /** @description The ETag that the client has: 304 when it is still the one. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Published products and the current user's unpublished ones, newest first. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Link: components["headers"]["Link"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        products: components["schemas"]["Product"][];
                        meta: components["schemas"]["PageMeta"];
                    };
                };
            };
            /** @description Still what the entity tag names. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `request.invalid`: The request has the wrong shape. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `token.missing`: An access token is needed.
             *
             *     `token.invalid`: The access token is not valid.
             *
             *     `token.insufficient-scope`: The access token lacks a scope.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `service.failed`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `service.overloaded`: The service is overloaded.
             *
             *     `service.unavailable`: A part of the service is down.
             */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `service.no-answer`: No answer before the deadline. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    searchProducts: {
        parameters: {
            query?: {
                /** @description page size */
                limit?: number;
                /** @description number of entries to skip; higher is older */
                offset?: number;
                /** @description only those on this item */
                itemId?: number;
                /** @description words that must all be in the title or the name of the item */
                q?: string;
            };
            header?: {
                /** @description The ETag that the client has: 304 when it is still the one. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Products with all words in the title or the name of the item, newest first. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Link: components["headers"]["Link"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        products: components["schemas"]["Product"][];
                        meta: components["schemas"]["PageMeta"];
                    };
                };
            };
            /** @description Still what the entity tag names. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `request.invalid`: The request has the wrong shape. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `token.missing`: An access token is needed.
             *
             *     `token.invalid`: The access token is not valid.
             *
             *     `token.insufficient-scope`: The access token lacks a scope.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `service.failed`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `service.overloaded`: The service is overloaded.
             *
             *     `service.unavailable`: A part of the service is down.
             */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `service.no-answer`: No answer before the deadline. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listProductsOnSale: {
        parameters: {
            query?: {
                /** @description page size */
                limit?: number;
                /** @description number of entries to skip; higher is older */
                offset?: number;
            };
            header?: {
                /** @description The ETag that the client has: 304 when it is still the one. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Products that cost less at the moment, newest first. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Link: components["headers"]["Link"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        products: components["schemas"]["Product"][];
                        meta: components["schemas"]["PageMeta"];
                    };
                };
            };
            /** @description Still what the entity tag names. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `request.invalid`: The request has the wrong shape. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `token.missing`: An access token is needed.
             *
             *     `token.invalid`: The access token is not valid.
             *
             *     `token.insufficient-scope`: The access token lacks a scope.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `service.failed`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `service.overloaded`: The service is overloaded.
             *
             *     `service.unavailable`: A part of the service is down.
             */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `service.no-answer`: No answer before the deadline. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getProduct: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag that the client has: 304 when it is still the one. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path: {
                /** @description id of the product */
                productId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One product with all variants of its item. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        products: components["schemas"]["ProductDetail"];
                        product: components["schemas"]["ProductDetail"];
                    };
                };
            };
            /** @description Still what the entity tag names. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `request.invalid`: The request has the wrong shape. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `token.missing`: An access token is needed.
             *
             *     `token.invalid`: The access token is not valid.
             *
             *     `token.insufficient-scope`: The access token lacks a scope.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `product.not-found`: There is no such product. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `service.failed`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `service.overloaded`: The service is overloaded.
             *
             *     `service.unavailable`: A part of the service is down.
             */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `service.no-answer`: No answer before the deadline. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listPromotions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All promotions, newest first. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        promotions: components["schemas"]["Promotion"][];
                    };
                };
            };
            /**
             * @description `token.missing`: An access token is needed.
             *
             *     `token.invalid`: The access token is not valid.
             *
             *     `token.insufficient-scope`: The access token lacks a scope.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `service.failed`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `service.overloaded`: The service is overloaded.
             *
             *     `service.unavailable`: A part of the service is down.
             */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `service.no-answer`: No answer before the deadline. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getHyperSchema: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag that the client has: 304 when it is still the one. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The API as JSON Hyper-Schema, draft 4. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Schema"];
                };
            };
            /** @description Still what the entity tag names. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /**
             * @description `token.missing`: An access token is needed.
             *
             *     `token.invalid`: The access token is not valid.
             *
             *     `token.insufficient-scope`: The access token lacks a scope.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `service.failed`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `service.overloaded`: The service is overloaded.
             *
             *     `service.unavailable`: A part of the service is down.
             */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `service.no-answer`: No answer before the deadline. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getOpenAPIDocument: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag that the client has: 304 when it is still the one. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The API as OpenAPI 3.1. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description version of the format */
                        openapi: string;
                        /** @description name of the API and what holds for all of it */
                        info: Record<string, never>;
                        /** @description where the API is */
                        servers: {
                            /** @description address */
                            url: string;
                        }[];
                        /** @description the resources with operations */
                        tags: {
                            /** @description name */
                            name: string;
                            /** @description what it is */
                            description: string;
                        }[];
                        /** @description the operations by address */
                        paths: Record<string, never>;
                        /** @description what several operations share */
                        components: Record<string, never>;
                    };
                };
            };
            /** @description Still what the entity tag names. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `request.headers-too-large`: The headers are too large. */
            431: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `service.failed`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listUsers: {
        parameters: {
            query?: {
                /** @description page size */
                limit?: number;
                /** @description number of entries to skip; higher is older */
                offset?: number;
                /** @description the exact name */
                name?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Users, newest first. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        users: components["schemas"]["User"][];
                        meta: components["schemas"]["PageMeta"];
                    };
                };
            };
            /** @description `request.invalid`: The request has the wrong shape. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `token.missing`: An access token is needed.
             *
             *     `token.invalid`: The access token is not valid.
             *
             *     `token.insufficient-scope`: The access token lacks a scope.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `service.failed`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `service.overloaded`: The service is overloaded.
             *
             *     `service.unavailable`: A part of the service is down.
             */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `service.no-answer`: No answer before the deadline. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the user */
                userId: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One user. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        user: components["schemas"]["User"];
                    };
                };
            };
            /** @description `request.invalid`: The request has the wrong shape. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `token.missing`: An access token is needed.
             *
             *     `token.invalid`: The access token is not valid.
             *
             *     `token.insufficient-scope`: The access token lacks a scope.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `user.not-found`: There is no such user. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `service.failed`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `service.overloaded`: The service is overloaded.
             *
             *     `service.unavailable`: A part of the service is down.
             */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `service.no-answer`: No answer before the deadline. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getCurrentUser: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user of the token, with the e-mail address. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        user: components["schemas"]["SelfUser"];
                    };
                };
            };
            /**
             * @description `token.missing`: An access token is needed.
             *
             *     `token.invalid`: The access token is not valid.
             *
             *     `token.insufficient-scope`: The access token lacks a scope.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `service.failed`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `service.overloaded`: The service is overloaded.
             *
             *     `service.unavailable`: A part of the service is down.
             */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `service.no-answer`: No answer before the deadline. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    updateCurrentUser: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["UserUpdateInput"];
            };
        };
        responses: {
            /** @description Changes what is sent of the user of the token. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        user: components["schemas"]["SelfUser"];
                    };
                };
            };
            /**
             * @description `request.body-not-json`: The body is not JSON.
             *
             *     `request.invalid`: The request has the wrong shape.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `token.missing`: An access token is needed.
             *
             *     `token.invalid`: The access token is not valid.
             *
             *     `token.insufficient-scope`: The access token lacks a scope.
             */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    /** @description Only where the token is valid and lacks a scope. */
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    /** @description Only where the token is valid and lacks a scope. */
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    /** @description Only where the token is valid and lacks a scope. */
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request.too-large`: The body is too large. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `request.unsupported-media-type`: The content type is not supported. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate-limit.exceeded`: Too many requests of this kind. */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `service.failed`: Something went wrong on our side. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `service.overloaded`: The service is overloaded.
             *
             *     `service.unavailable`: A part of the service is down.
             */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `service.no-answer`: No answer before the deadline. */
            504: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
}
