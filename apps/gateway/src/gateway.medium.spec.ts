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

  it('stop the start when they are wrong, all at once', () => {
    const wrong = { RATE_LIMITS: 'materials.list=1/2,nonsense', MATERIAL_PRICE_MAX: '-1' };
    expect(() => readEnvironment(Env, wrong)).toThrow(
      /RATE_LIMITS: must name operations of choices\.create[^]*RATE_LIMITS: must look like[^]*MATERIAL_PRICE_MAX/,
    );
  });
});
