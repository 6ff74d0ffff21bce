import { TextRenderer } from './text.renderer.js';

// The child compares the outline with the image, and has none if they differ
const outlined = {
  Latin: 'The quick brown fox jumps over the lazy dog',
  kerning: 'AVATAR To. WA',
  ligatures: 'fi ffi office',
  accents: 'Été Ångström x̧̌',
  Greek: 'Ελλάδα',
  Cyrillic: 'Привет',
  Japanese: '東京タワーが大好き！—1つ',
  Chinese: '今天天气很好，我们去公园。',
  Korean: '안녕하세요 세계',
  Arabic: 'مرحبا بالعالم',
  Hebrew: 'שלום (עולם)',
  numbers: 'שלום עולם abc 123',
  Thai: 'สวัสดีชาวโลก น้ำ',
  mixed: 'Hello مرحبا 日本語…',
  lines: 'two\n\nlines <b>&"',
  long: 'Lorem ipsum dolor sit amet, consectetur '.repeat(6).trim(),
};

describe('the outline of a text', () => {
  const renderer = new TextRenderer({ timeoutMs: 30_000 });
  afterAll(() => renderer.onApplicationShutdown());

  it.each(Object.entries(outlined))('has the size of the image: %s', async (_, text) => {
    const { measurement } = await renderer.render({ text, rgb: '#be1e2d' });
    const outline = await renderer.outline({ text, rgb: '#be1e2d' });
    expect(outline).toMatchObject({ width: expect.any(Number), path: expect.stringMatching(/^[-\d.]+ [-\d.]+ m\n/) });
    expect(measurement).toMatchObject({ kind: 'measured', width: outline!.width, height: outline!.height });
  });

  it('does not exist for emoji', async () => {
    expect(await renderer.outline({ text: 'Love ❤️', rgb: '#be1e2d' })).toBeNull();
  });

  it('has the same bytes each time', async () => {
    const task = { text: 'Hello', rgb: '#be1e2d' };
    expect(await renderer.outline(task)).toEqual(await renderer.outline(task));
  });
});
