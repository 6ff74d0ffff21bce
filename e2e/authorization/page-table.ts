import type { Application } from '../oauth/oauth-clients.js';
import { closedUrl } from '../support/webhook-urls.js';
import type { FailedDelivery } from '../support/failed-delivery.js';

/** Visitors of pages and other public routes: two signed-in users and one without a session. */
export const visitors = ['no session', 'another session', 'own session'] as const;
export type Visitor = (typeof visitors)[number];

/**
 * Test data for the paths of `pages`. All of it belongs to the user with `own session`, except for
 * the catalog's item and the static asset.
 */
export interface PageFixture {
  readonly userName: string;
  readonly application: Application;
  /** Path of an authorization request of the application, to which nobody has consented. */
  readonly authorizePath: string;
  readonly materialId: number;
  /** Item of the material's only product. */
  readonly itemId: number;
  /** Page of an unpublished product of the material, visible to its owner only. */
  readonly productPath: string;
  /** A secret list. */
  readonly choiceId: number;
  readonly webhook: FailedDelivery;
  /** Path of an image, whose signature grants access to anyone. */
  readonly imagePath: string;
  readonly assetPath: string;
}

interface PageRow {
  /**
   * Declared access. `public`: the session is not read. `everybody`: with or without a session.
   * `members`: with a session only.
   */
  readonly who: 'public' | 'everybody' | 'members';
  readonly at: (fixture: PageFixture) => string;
  /** Form fields other than `csrf`. */
  readonly form?: Readonly<Record<string, string>>;
  /** Statuses in the order of the visitors. */
  readonly statuses: readonly [anonymous: number, another: number, own: number];
}

type Place = string | PageRow['at'];
const place = (at: Place): PageRow['at'] => (typeof at === 'string' ? () => at : at);
type Form = PageRow['form'];

/** Returns the row of a public route. */
const publicRoute = (at: Place, status = 200): PageRow => ({
  who: 'public',
  at: place(at),
  statuses: [status, status, status],
});
const forEverybody = (at: Place, statuses: PageRow['statuses'], form?: Form): PageRow => ({
  who: 'everybody',
  at: place(at),
  statuses,
  ...(form && { form }),
});
/** Returns the row of a route for members, which redirects others to the sign-in. */
const forMembers = (at: Place, another: number, own: number, form?: Form): PageRow => ({
  who: 'members',
  at: place(at),
  statuses: [303, another, own],
  ...(form && { form }),
});
/** Returns the row of a route about the caller, whose path cannot name another user. */
const aboutCaller = (at: Place, status = 200, form?: Form): PageRow => forMembers(at, status, status, form);
/** Returns the row of a route of an application, which only its owner may see. */
const ofApplication =
  (below: string, own = 200, another = 404) =>
  (form?: Form): PageRow =>
    forMembers(({ application: { id } }) => `/applications/${id}${below}`, another, own, form);

/** Returns the row of a route that manages a material, which only its creator may do. */
const ofMaterial =
  (below: string, own = 200, another = 404) =>
  (form?: Form): PageRow =>
    forMembers(({ materialId }) => `/materials/${materialId}${below}`, another, own, form);
/** Returns the row of a route of a webhook endpoint, which only its owner may see. */
const ofWebhook =
  (below: string, own = 200, another = 404) =>
  (form?: Form): PageRow =>
    forMembers(({ webhook: { endpointId } }) => `/account/webhooks/${endpointId}${below}`, another, own, form);
/** Returns the row of a route that changes the secret list, which only its owner may do. */
const ofChoice =
  (below: string, own = 200, another = 404) =>
  (form?: Form): PageRow =>
    forMembers(({ choiceId }) => `/choices/${choiceId}${below}`, another, own, form);

const application = {
  description: '',
  homePage: '',
  redirectUris: 'https://posters.example.com/callback',
  write: 'yes',
};

/**
 * Routes other than operations. A deletion follows the other routes of its resource. It has the
 * same status for a missing resource, and so for a resource that the visitor may not see.
 */
export const pages: Readonly<Record<string, PageRow>> = {
  'GET /': forEverybody('/', [200, 200, 200]),
  'GET /search': forEverybody('/search?q=x', [200, 200, 200]),
  'GET /:user': forEverybody(({ userName }) => `/${userName}`, [200, 200, 200]),
  'GET /:user/:material/:item': forEverybody(({ productPath }) => productPath.split('/', 4).join('/'), [404, 404, 303]),
  'GET /:user/:material/:item/:size/:color': forEverybody(({ productPath }) => productPath, [404, 404, 200]),
  'GET /docs': forEverybody('/docs', [200, 200, 200]),
  'GET /guide': forEverybody('/guide', [200, 200, 200]),
  'GET /problems': forEverybody('/problems', [200, 200, 200]),
  'GET /problems/:code': forEverybody('/problems/token.missing', [200, 200, 200]),
  'GET /language/:language': forEverybody('/language/ja', [303, 303, 303]),
  'GET /sign-in': forEverybody('/sign-in', [200, 303, 303]),
  'POST /sign-in': forEverybody('/sign-in', [422, 422, 422]),
  'GET /sign-up': forEverybody('/sign-up', [200, 303, 303]),
  'POST /sign-up': forEverybody('/sign-up', [422, 303, 303]),
  // The test stack has no external identity provider
  'POST /sign-in/with/:provider': forEverybody('/sign-in/with/unknown', [404, 404, 404]),
  'GET /sign-in/with/:provider/callback': forEverybody('/sign-in/with/unknown/callback', [404, 404, 404]),
  'GET /sign-up/with/:provider': forEverybody('/sign-up/with/unknown', [303, 303, 303]),
  'POST /sign-up/with/:provider': forEverybody('/sign-up/with/unknown', [422, 422, 422]),
  'GET /oauth/authorize': forEverybody(({ authorizePath }) => authorizePath, [303, 200, 200]),
  'POST /oauth/authorize': forEverybody(({ authorizePath }) => authorizePath, [303, 303, 303], { decision: 'deny' }),
  'GET /account/deleted': forEverybody('/account/deleted', [200, 303, 303]),
  'GET /account/recovery': forEverybody('/account/recovery', [200, 200, 200]),
  'POST /account/recovery': forEverybody('/account/recovery', [422, 422, 422]),
  // The token in the link decides, not the session
  'GET /account/recovery/password': forEverybody('/account/recovery/password?token=unknown', [422, 422, 422]),
  'POST /account/recovery/password': forEverybody('/account/recovery/password', [422, 422, 422]),
  'GET /account/email/confirmation': forEverybody('/account/email/confirmation?token=unknown', [200, 200, 200]),
  'POST /account/email/confirmation': forEverybody('/account/email/confirmation', [422, 422, 422]),

  'GET /account': aboutCaller('/account'),
  'GET /account/profile': aboutCaller('/account/profile'),
  'POST /account/profile': aboutCaller('/account/profile', 303, {
    displayName: 'Me',
    avatar: '',
    header: '',
    homePage: '',
    about: '',
  }),
  'GET /account/email': aboutCaller('/account/email'),
  'POST /account/email': aboutCaller('/account/email', 422),
  'POST /account/email/confirmation/send': aboutCaller('/account/email/confirmation/send', 303),
  'GET /account/password': aboutCaller('/account/password'),
  'POST /account/password': aboutCaller('/account/password', 422),
  'GET /account/delete': aboutCaller('/account/delete'),
  'POST /account/delete': aboutCaller('/account/delete', 422),
  'GET /account/identities': aboutCaller('/account/identities'),
  'POST /account/identities/:identityId/unlink': forMembers('/account/identities/1/unlink', 404, 404),
  'GET /account/applications': aboutCaller('/account/applications'),
  'POST /account/applications/:id/revoke': aboutCaller('/account/applications/1/revoke', 303),
  'GET /account/webhooks': aboutCaller('/account/webhooks'),
  'GET /account/webhooks/new': aboutCaller('/account/webhooks/new'),
  'POST /account/webhooks/new': aboutCaller('/account/webhooks/new', 422),
  'GET /account/webhooks/:id': ofWebhook('')(),
  'GET /account/webhooks/:id/edit': ofWebhook('/edit')(),
  'POST /account/webhooks/:id/edit': ofWebhook('/edit', 303)({ url: closedUrl, description: 'Mine' }),
  'POST /account/webhooks/:id/pause': ofWebhook('/pause', 303)(),
  'POST /account/webhooks/:id/resume': ofWebhook('/resume', 303)(),
  'POST /account/webhooks/:id/test': ofWebhook('/test', 303)(),
  'POST /account/webhooks/:id/replay': ofWebhook('/replay', 303)({ period: 'day' }),
  'POST /account/webhooks/:id/deliveries/:deliveryId/replay': forMembers(
    ({ webhook: { endpointId, deliveryId } }) => `/account/webhooks/${endpointId}/deliveries/${deliveryId}/replay`,
    404,
    // The test of the row before has replayed this delivery already
    409,
  ),
  'GET /account/webhooks/:id/secret': ofWebhook('/secret')(),
  'POST /account/webhooks/:id/secret': ofWebhook('/secret')(),
  'GET /account/webhooks/:id/delete': ofWebhook('/delete')(),
  'POST /account/webhooks/:id/delete': ofWebhook('/delete', 303, 303)(),
  'GET /applications/:id/webhooks': ofApplication('/webhooks')(),
  'GET /applications/:id/webhooks/new': ofApplication('/webhooks/new')(),
  'POST /applications/:id/webhooks/new': ofApplication('/webhooks/new', 422)({ url: '', description: '' }),
  'GET /applications': aboutCaller('/applications'),
  'GET /applications/new': aboutCaller('/applications/new'),
  'POST /applications/new': aboutCaller('/applications/new', 422),
  'GET /applications/key': aboutCaller('/applications/key'),
  'POST /applications/key': aboutCaller('/applications/key', 422),
  'GET /applications/key/replace': aboutCaller('/applications/key/replace'),
  'POST /applications/key/replace': aboutCaller('/applications/key/replace', 422),
  'GET /applications/:id': ofApplication('')(),
  'POST /applications/:id': ofApplication('', 303)({ name: 'Posters', ...application }),
  'GET /applications/:id/secret': ofApplication('/secret')(),
  'POST /applications/:id/secret': ofApplication('/secret')(),
  'GET /applications/:id/delete': ofApplication('/delete')(),
  'POST /applications/:id/delete': ofApplication('/delete', 303, 303)({ confirmation: 'Posters' }),

  'GET /activities': aboutCaller('/activities'),
  'GET /favorites': aboutCaller('/favorites'),
  'POST /favorites': forMembers('/favorites', 400, 400),
  'GET /materials': aboutCaller('/materials'),
  'GET /materials/new': aboutCaller('/materials/new'),
  'POST /materials/new': aboutCaller('/materials/new', 422),
  'GET /materials/new/text': aboutCaller('/materials/new/text'),
  'POST /materials/new/text': aboutCaller('/materials/new/text', 422),
  'GET /materials/:id': ofMaterial('')(),
  'GET /materials/:id/items/:itemId': forMembers(
    ({ materialId, itemId }) => `/materials/${materialId}/items/${itemId}`,
    404,
    200,
  ),
  'POST /materials/:id/items/:itemId': forMembers(
    ({ materialId, itemId }) => `/materials/${materialId}/items/${itemId}`,
    404,
    422,
  ),
  'GET /materials/:id/edit': ofMaterial('/edit')(),
  'POST /materials/:id/edit': ofMaterial('/edit', 303)({ title: 'Sun', description: '', price: '1' }),
  'POST /materials/:id/publication': ofMaterial('/publication', 422)({ publish: '999999999' }),
  'GET /choices': aboutCaller('/choices'),
  'GET /choices/new': aboutCaller('/choices/new'),
  'POST /choices/new': aboutCaller('/choices/new', 422),
  'GET /choices/:id': forEverybody(({ choiceId }) => `/choices/${choiceId}`, [404, 404, 200]),
  'GET /choices/:id/edit': ofChoice('/edit')(),
  'POST /choices/:id/edit': ofChoice(
    '/edit',
    303,
  )({
    title: 'Summer',
    description: '',
    banner: '',
    secret: 'yes',
  }),
  'POST /choices/add': forMembers('/choices/add', 400, 400),
  'POST /choices/:id/remove': forMembers(({ choiceId }) => `/choices/${choiceId}/remove`, 404, 303, { entry: '1-1' }),
  'POST /choices/:id/move-first': forMembers(({ choiceId }) => `/choices/${choiceId}/move-first`, 404, 303, {
    entry: '1-1',
  }),
  'GET /choices/:id/delete': ofChoice('/delete')(),
  'POST /choices/:id/delete': ofChoice('/delete', 303, 303)(),
  'GET /materials/:id/delete': ofMaterial('/delete')(),

  'GET /docs/:name': publicRoute('/docs/swagger-ui.css'),
  'GET /guide/:name': publicRoute('/guide/first-product.sh'),
  'GET /assets/:name': publicRoute(({ assetPath }) => assetPath),
  'GET /:user/feed.atom': publicRoute(({ userName }) => `/${userName}/feed.atom`),
  'GET /oembed': publicRoute('/oembed?url=https://example.com/', 404),
  'GET /sitemap.xml': publicRoute('/sitemap.xml'),
  'GET /sitemap-:number.xml': publicRoute('/sitemap-1000000000.xml', 404),
  'GET /robots.txt': publicRoute('/robots.txt'),
  'GET /icons/:name': publicRoute('/icons/t-shirt.svg'),
  'GET /images/v1/external/:userId/:kind/:id/:name': publicRoute(
    `/images/v1/external/1/avatar/1/${'0'.repeat(32)}.webp`,
    404,
  ),
  'GET /images/v1/previews/*': publicRoute(`/images/v1/previews/${'0'.repeat(64)}.webp?h=0`, 404),
  'GET /images/v1/print-files/*': publicRoute(`/images/v1/print-files/1/${'0'.repeat(64)}.pdf?expires=1&h=0`, 404),
  'GET /images/v1/wearing/:name': publicRoute('/images/v1/wearing/t-shirt.png'),
  'GET /images/v1/*': publicRoute(({ imagePath }) => imagePath),
  'GET /health/live': publicRoute('/health/live'),
  'GET /health/ready': publicRoute('/health/ready'),
  'GET /.well-known/oauth-authorization-server': publicRoute('/.well-known/oauth-authorization-server'),
  // Clients authenticate in the request; sessions are ignored
  'POST /oauth/token': publicRoute('/oauth/token', 401),
  'POST /oauth/revoke': publicRoute('/oauth/revoke', 401),
  'POST /oauth/introspect': publicRoute('/oauth/introspect', 401),

  'POST /materials/:id/delete': ofMaterial('/delete', 303, 303)(),
  'POST /sign-out': forEverybody('/sign-out', [303, 303, 303]),
};
