import { type Operation, operations } from './operations.js';

const all: [name: string, operation: Operation][] = Object.entries(operations);

describe('the operations of the API', () => {
  it.each(all)('%s names the parameters of its address', (_, { path, params }) => {
    const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name);
    expect(Object.keys(params?.shape ?? {})).toEqual(inPath);
  });

  it.each(all)('%s has one kind of input: a query on GET, a body on POST and PUT', (_, { method, query, body }) => {
    if (query) expect(method).toBe('GET');
    if (body) expect(['POST', 'PUT']).toContain(method);
  });

  it.each(all)('%s answers a body unless it answers 204', (_, { status, response }) => {
    expect(response === undefined).toBe(status === 204);
  });

  it.each(all)('%s needs the write scope exactly when it writes', (_, { method, scope }) => {
    expect(scope === 'write').toBe(method !== 'GET');
  });

  it('have addresses and titles of their own', () => {
    const addresses = all.map(([, { method, path }]) => `${method} ${path.replaceAll(/:\w+/g, ':id')}`);
    expect(new Set(addresses).size).toBe(addresses.length);
    const titles = all.map(([, { resource, title }]) => `${resource} ${title.toLowerCase().replaceAll(/\W+/g, '_')}`);
    expect(new Set(titles).size).toBe(titles.length);
  });

  it('have a rate limit if they write, and only then', () => {
    for (const [name, { method, rateLimit }] of all) expect([name, !!rateLimit]).toEqual([name, method !== 'GET']);
  });

  it('take large bodies only where an image may come', () => {
    expect(all.filter(([, { bodyLimit }]) => bodyLimit).map(([name]) => name)).toEqual(['materials.create']);
  });
});
