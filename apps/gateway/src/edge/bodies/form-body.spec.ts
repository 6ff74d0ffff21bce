import type { FastifyRequest } from 'fastify';
import { formOf, parametersOf, queryOf } from './form-body.js';

describe('parameters', () => {
  it('are the first of each name, with a list of repeated names', () => {
    const pairs = new URLSearchParams('a=1&b=&a=2&a=3&B=4');
    expect(parametersOf(pairs)).toEqual({ given: { a: '1', b: '', B: '4' }, repeated: ['a'] });
    expect(queryOf({ url: '/x?a=%E3%81%82&a=+' } as FastifyRequest)).toEqual({ given: { a: 'あ' }, repeated: ['a'] });
  });

  it('are read after the question mark of any target', () => {
    for (const before of ['//', '/\\', '/%', 'http://evil.example', 'http://[', '*', ''])
      expect(queryOf({ url: `${before}?a=1?2` } as FastifyRequest)).toEqual({ given: { a: '1?2' }, repeated: [] });
    expect(queryOf({ url: '//' } as FastifyRequest)).toEqual({ given: {}, repeated: [] });
  });

  it('may have names of object properties', () => {
    const { given, repeated } = parametersOf(new URLSearchParams('__proto__=1&constructor=2&toString=3'));
    expect([Object.keys(given), repeated]).toEqual([['__proto__', 'constructor', 'toString'], []]);
    expect(Object.getPrototypeOf(given)).toBe(Object.prototype);
  });
});

it('a JSON body is not a form', () => {
  const body = { given: { csrf: 'x' }, repeated: [] };
  const sentAs = (type?: string) => formOf({ body, headers: { 'content-type': type } } as FastifyRequest);
  expect(sentAs('Application/x-www-form-urlencoded; charset=utf-8')).toEqual({ csrf: 'x' });
  for (const type of ['application/json', undefined]) expect(sentAs(type)).toEqual({});
});
