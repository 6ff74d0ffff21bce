import { problems } from '#contracts';
import { DomainError } from '#kernel';
import { catalog, shirt } from '../testing/catalog-fixture.js';
import { letterColor, ofText, shirtVariant, titleOf } from './text-material.rules.js';

const notOfShirt = {
  kind: problems['item-variant.not-standard-t-shirt'],
  errors: [{ path: 'body.itemVariantId', message: expect.any(String) }],
};
const refusalOf = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return error;
  }
};

describe('the T-shirt of a text', () => {
  it('is the variant that was named', () => {
    expect(shirtVariant(catalog, 12).id).toBe(12);
  });

  it('is a white M when none was named', () => {
    const white = { ...shirt.variants[0]!, id: 14, size: { id: 2, name: 'm', displayName: 'M' } };
    const withWhiteM = { ...shirt, variants: [...shirt.variants, white] };
    expect(shirtVariant({ ...catalog, itemByName: () => withWhiteM }, undefined).id).toBe(14);
    expect(refusalOf(() => shirtVariant(catalog, undefined))).toMatchObject(notOfShirt);
  });

  it('is neither of another item, nor unknown, nor one that cannot be ordered', () => {
    for (const id of [31, 999, 13]) expect(refusalOf(() => shirtVariant(catalog, id))).toMatchObject(notOfShirt);
    const gone = { ...catalog, itemByName: () => ({ ...shirt, enabled: false }) };
    expect(refusalOf(() => shirtVariant(gone, 12))).toMatchObject(notOfShirt);
    expect(refusalOf(() => shirtVariant({ ...catalog, itemByName: () => undefined }, 12))).toMatchObject(notOfShirt);
  });

  it('has letters that contrast with it', () => {
    const [white, black] = shirt.variants;
    expect(letterColor(white!)).toBe('#1f2328');
    expect(letterColor(black!)).toBe('#fafafa');
  });
});

describe('the title of a text', () => {
  it.each([
    ['Hello', 'Hello'],
    ['Hello\nworld', 'Hello'],
    ['\r\n\u3000\n  猫 と 犬 \r\nx', '  猫 と 犬 '],
    ['one\u2028two', 'one'],
    ['\u200b\u202e\n\u202eone\ttwo\ufeff', 'one two'],
    ['👩\u200d🚀', '👩\u200d🚀'],
  ])('of %j is %j', (text, title) => {
    expect(titleOf(text)).toBe(title);
  });

  it('is not made of nothing', () => {
    expect(refusalOf(() => titleOf(' \n\t\u3000\n\u200b'))).toMatchObject({
      kind: problems['text.blank'],
      errors: [{ path: 'body.text', message: 'there is nothing to print' }],
    });
  });
});

describe('what the renderer says of a text', () => {
  it('is said at the path of the text when it is a refusal, and passed on otherwise', () => {
    expect(ofText(new DomainError(problems['text.not-printable'], 'no font has 𓀀'))).toMatchObject({
      kind: problems['text.not-printable'],
      detail: 'body.text: no font has 𓀀',
      errors: [{ path: 'body.text', message: 'no font has 𓀀' }],
    });
    const overloaded = new DomainError(problems['service.overloaded'], 'later', undefined, { 'retry-after': '1' });
    expect(ofText(overloaded)).toBe(overloaded);
  });
});
