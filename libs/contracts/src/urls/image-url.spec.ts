import {
  blankKey,
  onDemandKey,
  filePathOf,
  imageUrl,
  imageUrlTemplate,
  isEvicted,
  parseImagePath,
  imageKey,
  signAdjustment,
  signDraft,
  verifySignature,
  signFilePath,
  storedImageOf,
} from './image-url.js';

const secret = 'a secret of at least thirty-two characters';
const filePath = filePathOf({
  materialId: 12,
  uploadedAt: new Date('2026-11-20T09:00:00.900Z'),
  originalWidth: 2000,
  originalHeight: 1000,
  format: 'png',
});
const path = `500x500/t-shirt/s/white/front/${filePath}.webp`;

describe('image URLs', () => {
  it('contain the material, the upload time in seconds and the size', () => {
    expect(filePath).toBe('12/1795165200-2000x1000.png');
  });

  it('are parsed as they were written', () => {
    const written = imageUrl({
      base: 'https://shop.example',
      itemName: 't-shirt',
      filePath,
      hash: signFilePath(filePath, secret),
      width: 500,
      height: 500,
      size: 's',
      color: 'white',
      angle: 'front',
      format: 'webp',
    });
    const url = new URL(written);
    const image = parseImagePath(url.pathname.slice('/images/v1/'.length))!;
    expect(image).toEqual({
      width: 500,
      height: 500,
      itemName: 't-shirt',
      size: 's',
      color: 'white',
      angle: 'front',
      materialId: 12,
      filePath,
      adjustment: null,
      format: 'webp',
      printed: true,
      proof: false,
      revision: 0,
      draft: false,
    });
    expect(verifySignature(image, url.searchParams.get('h')!, secret)).toEqual(image);
  });

  it('have a revision after the first change, with the same signature', () => {
    const target = { base: 'https://shop.example', itemName: 't-shirt', filePath, hash: '0'.repeat(40) };
    const image = { width: 500, height: 500, size: 's', color: 'white', angle: 'front', format: 'png' } as const;
    for (const write of [
      (revision?: number) => imageUrlTemplate({ ...target, revision }),
      (revision?: number) => imageUrl({ ...target, ...image, revision }),
    ]) {
      expect(write()).toMatch(new RegExp(`[?]h=${target.hash}&printed=true$`));
      expect(write(0)).toBe(write());
      expect(write(12)).toBe(`${write()}&v=12`);
    }
  });

  it('have an optional soft proof, with the same signature and a key of its own', () => {
    const parsed = (proof?: unknown, printed = 'true') => parseImagePath(path, { printed, proof });
    expect(parsed('true')).toEqual({ ...parsed()!, proof: true });
    expect(parsed('false')).toEqual(parsed());
    // The item without a print has no colors of a printer
    expect(parsed('true', 'false')).toEqual(parsed(undefined, 'false'));
    for (const proof of ['', '1', 'TRUE', 'yes', ' true', ['true', 'true'], { a: 'true' }, null])
      expect(parsed(proof)).toBeNull();
    const plain = signFilePath(filePath, secret);
    expect(verifySignature(parsed('true')!, plain, secret)).toEqual(parsed('true'));
    const adjusted = { ...parsed('true')!, adjustment: '0.5+0.0+0.0' };
    for (const image of [parsed('true')!, adjusted])
      for (const draft of [false, true])
        for (const keyOf of [imageKey, onDemandKey]) {
          const key = keyOf({ ...image, draft });
          expect(key).not.toBe(keyOf({ ...image, draft, proof: false }));
          expect(storedImageOf(key)).toEqual({ filePath, itemName: 't-shirt', revision: 0, draft });
        }
    expect(onDemandKey(parsed('true')!)).toBe(`drawn/${filePath}/t-shirt/0/500x500/white/front.proof.webp`);
    expect(imageKey(parsed()!)).toBe(`images/${filePath}/t-shirt/0/500x500/white/front.printed.webp`);
  });

  it('have an optional angle', () => {
    expect(parseImagePath(path.replace('/front', ''))).toMatchObject({ angle: null, materialId: 12 });
  });

  it('have an adjustment whose signature a client can derive', () => {
    const base = '69f3b42b25093ffe2e5aa151c8fb4a4546b7a628';
    expect(signAdjustment(base, '0.5+0.0+0.0')).toBe('eae4fcedff3e2d59ff2d69421ccd39de0bea912d');
    const adjusted = parseImagePath(path.replace('.png.webp', '.png.1.8554+0.0-0.0036.webp'))!;
    expect(adjusted.adjustment).toBe('1.8554+0.0-0.0036');
    const plain = signFilePath(filePath, secret);
    expect(verifySignature(adjusted, signAdjustment(plain, adjusted.adjustment!), secret)).toEqual(adjusted);
    expect(verifySignature(adjusted, plain, secret)).toBeNull();
  });

  it('of a draft have a signature that is valid for their item only', () => {
    const image = parseImagePath(path)!;
    const draft = { ...image, draft: true };
    const hash = signDraft(filePath, 't-shirt', secret);
    expect(hash).toMatch(/^[0-9a-f]{40}$/);
    expect(verifySignature(image, hash, secret)).toEqual(draft);
    const other = { ...image, itemName: 'mug' };
    expect(verifySignature(other, hash, secret)).toBeNull();
    expect(verifySignature(other, signFilePath(filePath, secret), secret)).toEqual(other);
    const adjusted = parseImagePath(path.replace('.png.webp', '.png.0.5+0.0+0.0.webp'))!;
    expect(verifySignature(adjusted, signAdjustment(hash, adjusted.adjustment!), secret)?.draft).toBe(true);
    for (const it of [image, draft, adjusted]) {
      const { itemName, revision, draft: isDraft } = it;
      for (const keyOf of [imageKey, onDemandKey])
        expect(storedImageOf(keyOf(it))).toEqual({ filePath, itemName, revision, draft: isDraft });
    }
  });

  it('without a print have the same key for all materials', () => {
    const blank = (text: string) => blankKey(parseImagePath(text, { printed: 'false' })!);
    expect(blank(path)).toBe('blanks/t-shirt/500x500/white/front.webp');
    const same = [path.replace('/12/1795165200', '/13/1795165201'), path.replace('.webp', '.0.5+0.0+0.0.webp')];
    for (const other of [...same, path.replace('/s/', '/m/')]) expect(blank(other)).toBe(blank(path));
    const parts = { 't-shirt': 'mug', '500x500': '765x765', white: 'black', '/front': '/back', '.webp': '.png' };
    const others = Object.entries(parts).map(([part, other]) => blank(path.replace(part, other)));
    expect(new Set([...others, blank(path), blank(path.replace('/front', ''))]).size).toBe(7);
    const image = parseImagePath(path)!;
    expect([imageKey, onDemandKey, blankKey].map((keyOf) => isEvicted(keyOf(image)))).toEqual([false, true, true]);
  });

  it('are rejected with another signature', () => {
    const image = parseImagePath(path)!;
    for (const hash of ['', 'x', '0'.repeat(40), signFilePath('13/1-1x1.png', secret)])
      expect(verifySignature(image, hash, secret)).toBeNull();
  });

  it.each([
    '../../etc/passwd',
    '500x500/t-shirt/s/white/front/12/1-1x1.png.svg',
    '0x500/t-shirt/s/white/12/1-1x1.png.webp',
    '99999x5/t-shirt/s/white/12/1-1x1.png.webp',
    '500x500/t-shirt/s/../12/1-1x1.png.webp',
    '500x500/T%20shirt/s/white/12/1-1x1.png.webp',
    '500x500/t-shirt/s/white/front/back/12/1-1x1.png.webp',
    '500x500/t-shirt/s/white/012/1-1x1.png.webp',
    `500x500/t-shirt/s/white/12/1-1x1.png.${'1'.repeat(99)}.0+0.0+0.0.webp`,
    '500x500/t-shirt/s/white/12/1-1x1.png.webp\n',
  ])('are not parsed from %j', (path) => {
    expect(parseImagePath(path)).toBeNull();
  });

  it('limit the length of names, and are parsed quickly at any length', () => {
    const named = (name: string) => parseImagePath(path.replace('t-shirt', name));
    expect(named('x'.repeat(64))).not.toBeNull();
    expect(imageKey(named('x'.repeat(64))!).length).toBeLessThan(512);
    expect(named('x'.repeat(65))).toBeNull();
    for (const unit of ['a', 'a/', '1', '1x1/', '-']) expect(parseImagePath(`1x1/${unit.repeat(100_000)}`)).toBeNull();
  });

  it.each(['..', '%2e%2e', '%252e%252e', '.', '..\\x', 'x\0', 'x\u2215y', '．．', 'x%00', 'x/../y'])(
    'cannot contain the path traversal %j',
    (name) => {
      for (const part of ['t-shirt', 'white', 'front', '12/'])
        expect(parseImagePath(path.replace(part, name))).toBeNull();
    },
  );

  it('have different keys for different images, and the same key for all garment sizes', () => {
    const key = (text: string, printed = true) => imageKey(parseImagePath(text, { printed: String(printed) })!);
    const variants = [
      key(path),
      imageKey(parseImagePath(path, { v: '1' })!),
      imageKey(parseImagePath(path, { v: '2' })!),
      imageKey({ ...parseImagePath(path)!, draft: true }),
      key(path, false),
      key(path.replace('.webp', '.jpg')),
      key(path.replace('500x500', '765x765')),
      key(path.replace('white', 'black')),
      key(path.replace('/front', '')),
      key(path.replace('/front', '/back')),
      key(path.replace('.png.webp', '.png.0.5+0.0+0.0.webp')),
      key(path.replace('t-shirt', 'hoodie')),
    ];
    expect(new Set(variants).size).toBe(variants.length);
    expect(key(path.replace('/s/', '/m/'))).toBe(key(path));
    for (const it of variants) expect(it).toMatch(/^images\/12\//);
  });
});
