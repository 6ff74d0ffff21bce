import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { idText, nameText, problems } from '#contracts';
import { DomainError } from '#kernel';
import { QueueClients } from '#request-queue';
import { queryOf } from '../../edge/bodies/form-body.js';
import { languageOf } from '../../edge/headers/language.js';
import { Public } from '../../edge/routing/operation.decorator.js';
import { GatewayEnv } from '../../env.js';
import { sendPublic } from '../pages/send-public.js';
import { commonTexts } from '../pages/texts/common.js';
import { creatorName, ShopView } from '../shop/shop.view.js';

const Query = z.object({
  url: z.string({ error: 'is required' }),
  format: z.string().default('json'),
  maxwidth: idText.default(Number.MAX_SAFE_INTEGER),
  maxheight: idText.default(Number.MAX_SAFE_INTEGER),
});

/** Path segments of the two addresses of a product. */
const ProductPath = z.union([
  z
    .tuple([nameText, idText, nameText])
    .transform(([userName, materialId, itemName]) => ({ userName, materialId, itemName })),
  z
    .tuple([nameText, idText, nameText, nameText, nameText])
    .transform(([userName, materialId, itemName, size, color]) => {
      return { userName, materialId, itemName, variant: { size, color } };
    }),
]);

/** Provider of oEmbed (https://oembed.com), version 1.0: product pages as photos. */
@Controller()
export class OembedController {
  constructor(
    private readonly clients: QueueClients,
    private readonly shopView: ShopView,
    private readonly env: GatewayEnv,
  ) {}

  @Public()
  @Get('oembed')
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { url, format, maxwidth, maxheight } = parseQuery(request);
    if (format !== 'json') throw new DomainError(problems['oembed.format-not-supported'], 'Use format=json.');
    const language = languageOf(request.headers['accept-language']);
    const catalog = this.clients.of('catalog');
    const [{ product }, names] = await Promise.all([
      catalog.call('products.find', { viewerId: 0, ...this.productKeyOf(url) }),
      catalog.call('items.names', { language }),
    ]);
    const image = this.shopView.previewWithin(product, maxwidth, maxheight);
    if (!image) throw new DomainError(problems['picture.not-found'], 'No image size is within maxwidth and maxheight.');
    const { user } = product.material;
    const photo = {
      version: '1.0',
      type: 'photo',
      ...image,
      title: this.shopView.title(product, names),
      author_name: creatorName(user),
      author_url: this.shopView.absolute(this.shopView.creator(user)),
      provider_name: commonTexts[language].shop,
      provider_url: `${this.env.BASE_URL}/`,
      cache_age: 300,
    };
    void reply.header('vary', 'accept-language');
    sendPublic(reply, 'application/json', JSON.stringify(photo));
  }

  /** @throws DomainError `product.not-found` for every URL other than that of a product page */
  private productKeyOf(url: string): z.output<typeof ProductPath> {
    const { href, pathname } = URL.canParse(url) ? new URL(url) : { href: '', pathname: '' };
    const site = `${this.env.BASE_URL}/`;
    const key = ProductPath.safeParse(pathname.slice(new URL(site).pathname.length).split('/'));
    if (!key.success || !href.startsWith(site))
      throw new DomainError(problems['product.not-found'], 'The URL is not the address of a product page.');
    return key.data;
  }
}

/** @throws DomainError `request.invalid` */
function parseQuery(request: FastifyRequest): z.output<typeof Query> {
  const query = Query.safeParse(queryOf(request).given);
  if (query.success) return query.data;
  const errors = query.error.issues.map(({ path, message }) => ({ path: `query.${path.join('.')}`, message }));
  throw new DomainError(problems['request.invalid'], `${errors[0]!.path} ${errors[0]!.message}.`, errors);
}
