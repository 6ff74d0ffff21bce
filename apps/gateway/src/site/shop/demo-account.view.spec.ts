import { demoAccountIfLocal } from './demo-account.view.js';

const DEMO_ACCOUNT = { name: 'demo', password: 'secret' };
const local = { DEMO_ACCOUNT, BASE_URL: 'http://localhost:3000', HOST: '127.0.0.1' };
const from = (host?: string) => ({ headers: host === undefined ? {} : { host } });

describe('demo account', () => {
  it.each(['localhost:3000', 'localhost', '127.0.0.1:3000', '[::1]:3000'])('is shown at %s', (host) => {
    expect(demoAccountIfLocal(local, from(host))).toEqual(DEMO_ACCOUNT);
  });

  it.each(['shop.example.com', 'localhost.example.com', '192.168.0.2:3000', '10.0.0.1', ':', '', undefined])(
    'is not shown for the Host header %s',
    (host) => {
      expect(demoAccountIfLocal(local, from(host))).toBeNull();
    },
  );

  it.each([
    { BASE_URL: 'https://shop.example.com' },
    { BASE_URL: 'http://192.168.0.2:3000' },
    { HOST: '0.0.0.0' },
    { HOST: '::' },
    { DEMO_ACCOUNT: undefined },
  ])('is not shown if others can reach the stack, or if none is configured: %j', (setting) => {
    expect(demoAccountIfLocal({ ...local, ...setting }, from('localhost:3000'))).toBeNull();
  });
});
