import { readEnvironment } from '#config';
import { RawReply } from '#request-queue';
import { Env } from './env.js';
import { GatewayStack, send } from './testing/gateway-stack.js';

describe('gateway settings', () => {
  let stack: GatewayStack;

  beforeAll(async () => {
    stack = await GatewayStack.start({ 'materials.text': () => RawReply.json('{}') });
  });
  afterAll(() => stack.close());

  it('set the maximum margin', async () => {
    const create = async (environment: Record<string, string>, price: number) => {
      const url = await stack.gateway(environment);
      return send('POST', `${url}/api/v1/materials/text`, { token: 'writer', body: { text: 'x', price } });
    };
    const above = await create({ MATERIAL_PRICE_MAX: '500' }, 501);
    expect([above.status, above.body.errors]).toEqual([400, [{ path: 'body.price', message: 'must be 500 or less' }]]);
    expect((await create({ MATERIAL_PRICE_MAX: '500' }, 500)).status).toBe(200);
    expect((await create({}, 100_000)).status).toBe(200);
    expect((await create({}, 100_001)).status).toBe(400);
  });

  it('are separate for gateways in one process', async () => {
    const strict = await stack.gateway({ MATERIAL_PRICE_MAX: '500' });
    const other = await stack.gateway({ MATERIAL_PRICE_MAX: '5000' });
    const statusOf = async (url: string) =>
      (await send('POST', `${url}/api/v1/materials/text`, { token: 'writer', body: { text: 'x', price: 501 } })).status;
    expect([await statusOf(strict), await statusOf(other)]).toEqual([400, 200]);
    const maximumOf = async (url: string) =>
      (await send('GET', `${url}/api/v1/openapi.json`)).body.components.schemas.CreateMaterialFromTextRequest.properties
        .price.maximum;
    expect([await maximumOf(strict), await maximumOf(other)]).toEqual([500, 5_000]);
  });

  it('fail the start with all errors if invalid', () => {
    const invalid = { RATE_LIMITS: 'materials.list=1/2,nonsense', MATERIAL_PRICE_MAX: '-1' };
    expect(() => readEnvironment(Env, invalid)).toThrow(
      /RATE_LIMITS: must name operations of choices\.create[^]*RATE_LIMITS: must look like[^]*MATERIAL_PRICE_MAX/,
    );
  });
});
