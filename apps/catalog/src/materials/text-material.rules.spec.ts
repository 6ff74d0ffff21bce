import { problems } from '#contracts';
import { DomainError } from '#kernel';
import { catalog, shirt } from '../testing/catalog-fixture.js';
import { letterColor, shirtVariant, titleOf, withTextPath } from './text-material.rules.js';

const notOfShirt = {
  kind: problems['item-variant.not-standard-t-shirt'],
  errors: [{ path: 'body.itemVariantId', message: expect.any(String) }],
};
const errorOf = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return error;
  }
};

describe('shirtVariant', () => {
  it('returns the given variant', () => {
    expect(shirtVariant(catalog, 12).id).toBe(12);
  });

  it('returns a white M by default', () => {
    const white = { ...shirt.variants[0]!, id: 14, size: { id: 2, name: 'm', displayName: 'M' } };
    const withWhiteM = { ...shirt, variants: [...shirt.variants, white] };
    expect(shirtVariant({ ...catalog, itemByName: () => withWhiteM }, undefined).id).toBe(14);
    expect(errorOf(() => shirtVariant(catalog, undefined))).toMatchObject(notOfShirt);
  });

  it('rejects variants that are unknown, disabled or of another item', () => {
    for (const id of [31, 999, 13]) expect(errorOf(() => shirtVariant(catalog, id))).toMatchObject(notOfShirt);
    const withoutShirt = { ...catalog, itemByName: () => ({ ...shirt, enabled: false }) };
    expect(errorOf(() => shirtVariant(withoutShirt, 12))).toMatchObject(notOfShirt);
    expect(errorOf(() => shirtVariant({ ...catalog, itemByName: () => undefined }, 12))).toMatchObject(notOfShirt);
  });

  it('has letters of a contrasting color', () => {
    const [white, black] = shirt.variants;
    expect(letterColor(white!)).toBe('#1f2328');
    expect(letterColor(black!)).toBe('#fafafa');
  });
});

describe('titleOf', () => {
  it.each([
    ['Hello', 'Hello'],
    ['Hello\nworld', 'Hello'],
    ['\r\n\u3000\n  猫 と 犬 \r\nx', '  猫 と 犬 '],
    ['one\u2028two', 'one'],
    ['\u200b\u202e\n\u202eone\ttwo\ufeff', 'one two'],
    ['👩\u200d🚀', '👩\u200d🚀'],
  ])('%j has the title %j', (text, title) => {
    expect(titleOf(text)).toBe(title);
  });

  it('rejects a text without visible characters', () => {
    expect(errorOf(() => titleOf(' \n\t\u3000\n\u200b'))).toMatchObject({
      kind: problems['text.blank'],
      errors: [{ path: 'body.text', message: 'has no visible characters' }],
    });
  });
});

describe('withTextPath', () => {
  it('adds the path of the text to a rejection, and returns other errors unchanged', () => {
    expect(withTextPath(new DomainError(problems['text.not-printable'], 'no font has 𓀀'))).toMatchObject({
      kind: problems['text.not-printable'],
      detail: 'body.text: no font has 𓀀',
      errors: [{ path: 'body.text', message: 'no font has 𓀀' }],
    });
    const overloaded = new DomainError(problems['service.overloaded'], 'later', undefined, { 'retry-after': '1' });
    expect(withTextPath(overloaded)).toBe(overloaded);
  });
});
