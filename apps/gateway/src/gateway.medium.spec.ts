import { readEnvironment } from '#config';
import { RawReply } from '#request-queue';
import { Env } from './env.js';
import { GatewayStack, send } from './testing/gateway-stack.js';

describe('the settings of the gateway', () => {
  let stack: GatewayStack;

  beforeAll(async () => {
    stack = await GatewayStack.start({ 'materials.text': () => RawReply.json('{}') });
  });
  afterAll(() => stack.close());

  it('say the highest margin', async () => {
    const make = async (environment: Record<string, string>, price: number) => {
      const url = await stack.gateway(environment);
      return send('POST', `${url}/api/v1/materials/text`, { token: 'writer', body: { text: 'x', price } });
    };
    const above = await make({ MATERIAL_PRICE_MAX: '500' }, 501);
    expect([above.status, above.body.errors]).toEqual([400, [{ path: 'body.price', message: 'must be 500 or less' }]]);
    expect((await make({ MATERIAL_PRICE_MAX: '500' }, 500)).status).toBe(200);
    expect((await make({}, 100_000)).status).toBe(200);
    expect((await make({}, 100_001)).status).toBe(400);
  });

  it('are those of one gateway, whatever another one of the process has', async () => {
    const strict = await stack.gateway({ MATERIAL_PRICE_MAX: '500' });
    const other = await stack.gateway({ MATERIAL_PRICE_MAX: '5000' });
    const statusOf = async (url: string) =>
      (await send('POST', `${url}/api/v1/materials/text`, { token: 'writer', body: { text: 'x', price: 501 } })).status;
    expect([await statusOf(strict), await statusOf(other)]).toEqual([400, 200]);
    const maximumOf = async (url: string) =>
      (await send('GET', `${url}/api/v1/openapi.json`)).body.components.schemas.TextMaterialInput.properties.price
        .maximum;
    expect([await maximumOf(strict), await maximumOf(other)]).toEqual([500, 5_000]);
  });

  it('stop the start when they are wrong, all at once', () => {
    const wrong = { RATE_LIMITS: 'materials.list=1/2,nonsense', MATERIAL_PRICE_MAX: '-1' };
    expect(() => readEnvironment(Env, wrong)).toThrow(
      /RATE_LIMITS: must name operations of choices\.create[^]*RATE_LIMITS: must look like[^]*MATERIAL_PRICE_MAX/,
    );
  });
});
