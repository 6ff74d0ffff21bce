import sharp from 'sharp';
import { type Opened } from '../../apps/gateway/src/testing/browse.js';
import { signedIn } from '../oauth/oauth-clients.js';
import { api, newUser, type User } from '../support/shop.js';

const keyOf = ({ html }: Opened): string => /name="key" value="([^"]*)"/.exec(html)![1]!;
const createImage = (): Promise<Buffer> =>
  sharp({ create: { width: 300, height: 300, channels: 3, background: '#e76f51' } })
    .png()
    .toBuffer();
const materialsOf = async ({ apiKey: token }: User) => (await api('GET', '/materials', { token })).body.materials;

describe('the form that creates a material', () => {
  it('creates one material when it is submitted twice at the same time, and again with the back button', async () => {
    const user = await newUser();
    const browser = await signedIn(user);
    const opened = await browser.open('/materials/new');
    const bytes = await createImage();
    const submit = (title: string) => {
      const form = new FormData();
      const fields = { csrf: opened.csrf, key: keyOf(opened), title, description: '', price: '', 'item-1': 'yes' };
      for (const [name, value] of Object.entries(fields)) form.append(name, value);
      form.append('file', new Blob([bytes]), 'sun.png');
      return browser.open('/materials/new', {}, 'POST', form);
    };
    const both = await Promise.all([submit('Sun'), submit('Sun')]);
    const again = await submit('Sun');
    const places = [...both, again].map(({ status, headers }) => `${status} ${headers.get('location')}`);
    expect(new Set(places)).toEqual(new Set([expect.stringMatching(/^303 \/materials\/\d+\?done=created$/)]));
    expect(await materialsOf(user)).toHaveLength(1);
    await submit('Moon');
    expect(await materialsOf(user)).toHaveLength(2);
  });
});

it('a form that is submitted twice at the same time creates one list, and a heart in two tabs adds one favorite', async () => {
  const user = await newUser();
  const browser = await signedIn(user);
  const { body: created } = await api('POST', '/materials/text', { token: user.apiKey, body: { text: 'Sun' } });
  const [{ id }] = created.products;
  const twice = async (path: string, form: Record<string, string>, tabs = 1): Promise<number[]> => {
    const pages = await Promise.all(Array.from({ length: tabs }, () => browser.open('/choices/new')));
    const responses = await Promise.all(
      [0, 1].map((n) => browser.send(path, { csrf: pages[n % tabs]!.csrf, ...form })),
    );
    return responses.map(({ status }) => status);
  };
  expect(await twice('/favorites', { add: String(id) }, 2)).toEqual([303, 303]);
  const { body } = await api('GET', `/products/${id}/favorites`, { token: user.apiKey });
  expect(body.favorites).toMatchObject([{ count: 1 }]);
  expect(await twice('/choices/new', { title: 'Summer', description: '', banner: '' })).toEqual([303, 303]);
  expect((await api('GET', `/choices?userId=${user.id}`, { token: user.apiKey })).body.choices).toHaveLength(1);
});
