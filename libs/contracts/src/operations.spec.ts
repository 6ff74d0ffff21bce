import { type Operation, operations } from './operations.js';

const all: [name: string, operation: Operation][] = Object.entries(operations);

describe('the operations of the API', () => {
  it.each(all)('%s declares the parameters of its path', (_, { path, params }) => {
    const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name);
    expect(Object.keys(params?.shape ?? {})).toEqual(inPath);
  });

  it.each(all)('%s has a query only for GET and a body only for POST and PUT', (_, { method, query, body }) => {
    if (query) expect(method).toBe('GET');
    if (body) expect(['POST', 'PUT']).toContain(method);
  });

  it.each(all)('%s has a response body unless its status is 204', (_, { status, response }) => {
    expect(response === undefined).toBe(status === 204);
  });

  it.each(all)('%s requires the write scope if and only if it writes', (_, { method, readOnly, scope }) => {
    expect(scope === 'write').toBe(method !== 'GET' && readOnly !== true);
  });

  it('have unique paths and titles', () => {
    const paths = all.map(([, { method, path }]) => `${method} ${path.replaceAll(/:\w+/g, ':id')}`);
    expect(new Set(paths).size).toBe(paths.length);
    const titles = all.map(([, { resource, title }]) => `${resource} ${title.toLowerCase().replaceAll(/\W+/g, '_')}`);
    expect(new Set(titles).size).toBe(titles.length);
  });

  it('have a rate limit unless they are a GET', () => {
    for (const [name, { method, rateLimit }] of all) expect([name, !!rateLimit]).toEqual([name, method !== 'GET']);
  });

  it('accept large bodies only for image uploads', () => {
    expect(all.filter(([, { bodyLimit }]) => bodyLimit).map(([name]) => name)).toEqual([
      'materials.create',
      'previews.create',
    ]);
  });
});
