import { readFile, writeFile } from 'node:fs/promises';
import { projectPath } from '#config';
import { type CollectedSpan, eventually, TestCollector } from '#testing';
import { type Fleet } from '../fleet/fleet.js';
import { replicasOfEach, startFleet } from '../fleet/start-fleet.js';
import { type FleetUser, createUsers } from '../fleet/users.js';
import { type Receiver, startReceiver } from '../../apps/webhooks/src/deliveries/testing/receiver.js';
import { waterfall } from '../../tools/bench/plot/waterfall.js';
import { artwork } from '../support/artwork.js';

const title = 'A title of its own';
const collectorKey = 'the key of the collector';
const urlSecret = 'secret-part-of-the-webhook-url';

describe('a trace', () => {
  let collector: TestCollector;
  let fleet: Fleet;
  let user: FleetUser;
  let fan: FleetUser;
  let texture: string;

  const request = (
    method: string,
    path: string,
    body?: object,
    { apiKey = user.apiKey, ...headers }: Readonly<Record<string, string>> = {},
  ) =>
    fetch(`${fleet.baseUrls[0]}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });

  const upload = () => request('POST', '/materials', { texture, title, products: [{ itemId: 1, published: true }] });
  const ofTrace = (id: string) =>
    collector.spans.filter(({ traceId }) => traceId === id).sort((one, other) => one.from - other.from);
  const find = (spans: readonly CollectedSpan[], name: string) => spans.find((span) => span.name === name);
  const named = (spans: readonly CollectedSpan[], name: string) => find(spans, name)!;

  /** Returns the names of a span and its ancestors, with their services. */
  function pathOf(spans: readonly CollectedSpan[], span: CollectedSpan | undefined): string[] {
    if (!span) return [];
    const parent = spans.find(({ spanId }) => spanId === span.parentId);
    return [`${span.service}: ${span.name}`, ...pathOf(spans, parent)];
  }

  beforeAll(async () => {
    collector = await TestCollector.open();
    fleet = await startFleet({
      replicas: replicasOfEach(1),
      environment: {
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_EXPORTER_OTLP_HEADERS: `x-api-key=${collectorKey}`,
        WEBHOOK_ALLOWED_HOSTS: '127.0.0.1',
      },
    });
    fleet.secrets.add(collectorKey).add(urlSecret);
    [user, fan] = (await createUsers(fleet, 2)) as [FleetUser, FleetUser];
    texture = await artwork();
  });

  afterAll(async () => {
    await fleet.stop();
    collector.close();
  });

  describe('of an upload', () => {
    let spans: CollectedSpan[];

    beforeAll(async () => {
      const response = await upload();
      expect(response.status).toBe(200);
      // The last exports: both subscribers process the event
      const isEnd = ({ name }: CollectedSpan) => name === 'consume material.rendered';
      await eventually(
        'its end',
        () => new Set(collector.spans.filter(isEnd).map(({ service }) => service)).size === 2,
      );
      await eventually('all of it', () => {
        const { traceId } = named(collector.spans, 'POST /api/v1/materials');
        spans = ofTrace(traceId);
        const ids = new Set(spans.map(({ spanId }) => spanId));
        return spans.every(({ parentId }) => parentId === '' || ids.has(parentId));
      });
    });

    it('covers request, queue, statement, outbox, job, images and activity', () => {
      const request = 'gateway: POST /api/v1/materials';
      const created = ['catalog: serve materials.create', 'gateway: request catalog materials.create', request];
      const job = ['material-rendering: consume material.created', 'catalog: publish material.created', ...created];
      const pathTo = (name: string) => pathOf(spans, named(spans, name));
      expect(pathTo('INSERT access_tokens')).toEqual([]);
      expect(pathTo('serve tokens.introspect').at(-1)).toBe(request);
      expect(pathTo('INSERT materials')).toEqual(['catalog: INSERT materials', ...created]);
      expect(pathTo('measure texture').slice(0, 3)).toEqual([
        'material-rendering: measure texture',
        'material-rendering: serve textures.store',
        'catalog: request material-rendering textures.store',
      ]);
      expect(pathTo('store image')).toEqual([
        'material-rendering: store image',
        'material-rendering: render image',
        ...job,
      ]);
      const ofActivity = spans.filter(({ service }) => service !== 'webhooks');
      expect(pathOf(spans, named(ofActivity, 'consume material.rendered'))).toEqual([
        'activity: consume material.rendered',
        'material-rendering: publish material.rendered',
        ...job,
      ]);
      const services = ['accounts', 'activity', 'catalog', 'gateway', 'material-rendering', 'webhooks'];
      expect([...new Set(spans.map(({ service }) => service))].sort()).toEqual(services);
      expect(spans.filter(({ isError }) => isError)).toEqual([]);
    });

    it('has route and status, and no content', () => {
      const { attributes } = named(spans, 'POST /api/v1/materials');
      expect(attributes).toMatchObject({
        'http.request.method': 'POST',
        'http.route': '/api/v1/materials',
        'http.response.status_code': 200,
      });
      expect(named(spans, 'INSERT materials').attributes['db.query.text']).toMatch(
        /^with .+ insert into outbox \(.+\$14/,
      );
      const exported = JSON.stringify(collector.spans);
      for (const secret of [...fleet.secrets, title, texture.slice(-60)]) expect(exported).not.toContain(secret);
    });

    it('is linked from the log lines of request and job', async () => {
      const { traceId } = named(spans, 'POST /api/v1/materials');
      const linesOf = async (text: string) =>
        (await readFile(fleet.logFile, 'utf8'))
          .split('\n')
          // Without the lines of webhooks, which consumes the event, too
          .filter((it) => it.includes(traceId) && it.includes(text) && !it.includes('webhooks'));
      await eventually('both lines', async () => (await linesOf('material.created consumed')).length === 1);
      const [line] = await linesOf('material.created consumed');
      expect(JSON.parse(line!.slice(line!.indexOf('{')))).toMatchObject({
        level: 'info',
        app: 'material-rendering',
        event: 'material.created',
        attempt: 1,
        traceId,
        waitMs: expect.any(Number),
        ms: expect.any(Number),
      });
      expect(await linesOf('POST /api/v1/materials 200')).toHaveLength(1);
    });

    it('can be rendered as a chart', async () => {
      const [first, ...others] = spans.filter(({ name }) => name === 'render image');
      const hidden = new Set(others.map(({ spanId }) => spanId));
      const rows = spans.filter(({ parentId, spanId }) => !hidden.has(parentId) && !hidden.has(spanId));
      expect(rows).toContain(first);
      const begin = named(rows, 'POST /api/v1/materials').from;
      const svg = waterfall(
        'An upload, from the request to its first image and the activity',
        sortSpans(rows).map((span) => ({
          name: span.name,
          group: span.service,
          depth: pathOf(rows, span).length - 1,
          from: span.from - begin,
          to: span.to - begin,
        })),
      );
      expect(svg).toContain('consume material.rendered');
      if (process.env.WRITE_DOCS) await writeFile(projectPath('docs/trace.svg'), svg);
    });
  });

  describe('of an event', () => {
    let receiver: Receiver;
    let endpointId: number;

    beforeAll(async () => {
      receiver = await startReceiver();
      const url = `${receiver.url}/${urlSecret}?key=${urlSecret}`;
      const created = await request('POST', '/webhook_endpoints', { url });
      endpointId = ((await created.json()) as { webhookEndpoint: { id: number } }).webhookEndpoint.id;
    });
    afterAll(() => receiver.close());

    /** Waits for a delivery. Returns the data of its event, its span and the spans of its trace. */
    async function delivered(type: string) {
      const event = () =>
        receiver.received
          .map(({ body }) => JSON.parse(body) as { id: string; type: string; data: Record<string, number> })
          .find((it) => it.type === type);
      const delivery = () =>
        collector.spans.find(
          ({ name, attributes }) => name === 'deliver webhook' && attributes['messaging.message.id'] === event()?.id,
        );
      await eventually(`the delivery of ${type}`, () => delivery() !== undefined, 30_000);
      const { traceId } = delivery()!;
      await eventually('its trace', () => {
        const ids = new Set(ofTrace(traceId).map(({ spanId }) => spanId));
        return ofTrace(traceId).every(({ parentId }) => parentId === '' || ids.has(parentId));
      });
      return { data: event()!.data, span: delivery()!, spans: ofTrace(traceId) };
    }

    const created = [
      'catalog: serve materials.create',
      'gateway: request catalog materials.create',
      'gateway: POST /api/v1/materials',
    ];
    const rendered = [
      'material-rendering: publish material.rendered',
      'material-rendering: consume material.created',
      'catalog: publish material.created',
      ...created,
    ];
    const placed = [
      'social: publish favorite.placed',
      'social: serve favorites.create',
      'gateway: request social favorites.create',
      'gateway: POST /api/v1/products/:productId/favorites',
    ];

    async function expectTrace(type: string, origin: readonly string[]) {
      const { span, spans } = await delivered(type);
      expect(pathOf(spans, span)).toEqual(['webhooks: deliver webhook', ...origin]);
      const append = spans.find(
        ({ service, attributes, parentId }) =>
          service === 'webhooks' &&
          String(attributes['db.query.text']).includes('append_event') &&
          spans.some(({ spanId, name }) => spanId === parentId && name === `consume ${type}`),
      );
      expect(pathOf(spans, append).slice(1)).toEqual([`webhooks: consume ${type}`, ...origin]);
      expect(span.attributes).toMatchObject({
        'storefront.webhook_endpoint_id': endpointId,
        'storefront.attempt': 1,
        'http.response.status_code': 204,
      });
    }

    it('that an upload causes contains its append to the event log and its delivery', async () => {
      expect((await upload()).status).toBe(200);
      await expectTrace('material.created', ['catalog: publish material.created', ...created]);
      await expectTrace('product.published', ['catalog: publish product.published', ...created]);
      await expectTrace('material.rendered', rendered);
      const ofActivity = ['activity: publish activity.created', 'activity: consume material.rendered', ...rendered];
      await expectTrace('activity.created', ofActivity);
    });

    it('that a favorite causes contains its append and its delivery, and those of its activity', async () => {
      const { productId } = (await delivered('product.published')).data;
      const before = receiver.received.length;
      const path = `/products/${productId}/favorites`;
      expect((await request('POST', path, {}, { apiKey: fan.apiKey })).status).toBe(201);
      await expectTrace('favorite.placed', placed);
      await eventually('both deliveries', () => receiver.received.length === before + 2);
      const activity = (await delivered('favorite.placed')).spans.filter(({ name }) => name === 'deliver webhook');
      expect(activity).toHaveLength(2);
    });

    it('contains no part of the URL of the endpoint', () => {
      expect(collector.spans.some(({ name }) => name === 'deliver webhook')).toBe(true);
      expect(JSON.stringify(collector.spans)).not.toContain(urlSecret);
    });
  });

  it('links to the trace of a client without joining it', async () => {
    const theirs = 'a'.repeat(32);
    await request('GET', '/items', undefined, { traceparent: `00-${theirs}-${'b'.repeat(16)}-01` });
    const ofItems = () => named(collector.spans, 'GET /api/v1/items');
    await eventually('the span', () => find(collector.spans, 'GET /api/v1/items') !== undefined);
    expect(ofItems()).toMatchObject({ parentId: '', links: [theirs] });
    expect(ofTrace(theirs)).toEqual([]);
  });

  it('has the status of a rejection', async () => {
    const response = await request('GET', '/products/999999');
    expect(response.status).toBe(404);
    const span = () => named(collector.spans, 'serve products.get');
    await eventually('the span', () => find(collector.spans, 'serve products.get') !== undefined);
    expect(span().attributes['rpc.response.status_code']).toBe('404');
  });

  it('is exported with the headers of the collector', () => {
    expect(collector.headers['x-api-key']).toBe(collectorKey);
  });
});

/** Sorts spans depth first: each follows its parent, and siblings are in order of time. */
function sortSpans(spans: readonly CollectedSpan[], parentId = ''): CollectedSpan[] {
  return spans.filter((span) => span.parentId === parentId).flatMap((span) => [span, ...sortSpans(spans, span.spanId)]);
}
