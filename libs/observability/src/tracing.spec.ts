import { jest } from '@jest/globals';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { eventually, TestCollector } from '#testing';

const warn = jest.fn();

const context = (trace: string, flags: '00' | '01') => `00-${trace.repeat(32)}-${'b'.repeat(16)}-${flags}`;

/** Returns new instances of the modules, as in a process that has just started. */
async function freshModules() {
  jest.resetModules();
  const { DomainError } = await import('#kernel');
  return { DomainError, ...(await import('./tracing.js')) };
}

describe('tracing', () => {
  let collector: TestCollector;
  const settings = (ratio = 1) => ({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_TRACES_SAMPLER_ARG: ratio,
  });

  beforeEach(async () => {
    collector = await TestCollector.open();
    warn.mockClear();
  });
  afterEach(() => collector.close());

  it('is disabled without a collector: work runs without spans', async () => {
    const { startTracing, ...tracing } = await freshModules();
    await startTracing('catalog', { OTEL_TRACES_SAMPLER_ARG: 1 }, warn);
    const seen = tracing.tracedEntry('entry', { parent: context('a', '01') }, () =>
      tracing.traced('part', {}, () => [tracing.traceparent(), tracing.traceId(), tracing.isTraced()]),
    );
    expect(seen).toEqual([undefined, undefined, false]);
    expect(tracing.startEntrySpan('entry', {})).toBeUndefined();
  });

  it('exports each span with its parent', async () => {
    const { startTracing, traced, tracedEntry } = await freshModules();
    const close = await startTracing('catalog', settings(), warn);
    const result = await tracedEntry('entry', { parent: context('a', '01') }, () =>
      traced('part', { attributes: { size: 3 } }, () => Promise.resolve('done')),
    );
    expect(result).toBe('done');
    traced('outside of any', {}, () => undefined);
    await close();
    const [part, entry] = collector.spans;
    expect(collector.spans).toHaveLength(2);
    expect(entry).toMatchObject({
      service: 'catalog',
      name: 'entry',
      traceId: 'a'.repeat(32),
      parentId: 'b'.repeat(16),
    });
    expect(part).toMatchObject({ name: 'part', parentId: entry!.spanId, attributes: { size: 3 } });
  });

  it('records errors by class name, and expected errors by code', async () => {
    const { DomainError, startTracing, tracedEntry } = await freshModules();
    const close = await startTracing('catalog', settings(), warn);
    const domainError = (status: number) =>
      new DomainError({ code: `code.${status}`, status, title: '' }, 'quotes what was sent');
    const failures = [domainError(404), domainError(503), new TypeError('quotes what was sent')];
    for (const error of failures)
      await expect(tracedEntry('entry', {}, () => Promise.reject(error))).rejects.toBe(error);
    expect(() =>
      tracedEntry('entry', {}, () => {
        throw new RangeError();
      }),
    ).toThrow(RangeError);
    await close();
    expect(collector.spans.map(({ attributes, isError }) => [attributes['error.type'], isError])).toEqual([
      ['code.404', false],
      ['code.503', true],
      ['TypeError', true],
      ['RangeError', true],
    ]);
    expect(JSON.stringify(collector.spans)).not.toContain('quotes');
  });

  it('samples new traces, and follows the decision of the parent', async () => {
    const { startTracing, traceparent, traced, tracedEntry } = await freshModules();
    const close = await startTracing('catalog', settings(0), warn);
    const propagated = tracedEntry('first', {}, () => traced('part', {}, () => traceparent()));
    expect(propagated).toMatch(/^00-[\da-f]{32}-[\da-f]{16}-00$/);
    tracedEntry('not recorded', { parent: context('a', '00') }, () => undefined);
    tracedEntry('recorded', { parent: context('a', '01') }, () => undefined);
    await close();
    expect(collector.spans.map(({ name }) => name)).toEqual(['recorded']);
  });

  it('drops spans while the collector is unreachable, with one warning', async () => {
    const { startTracing, tracedEntry } = await freshModules();
    const close = await startTracing('catalog', settings(), warn);
    collector.close();
    expect(tracedEntry('entry', {}, () => 'done')).toBe('done');
    await eventually('the warning', () => warn.mock.calls.length > 0);
    tracedEntry('entry', {}, () => 'done');
    await close();
    expect(warn).toHaveBeenCalledTimes(1);
  });

  it('closes within two seconds when the collector does not respond', async () => {
    const responses: ServerResponse[] = [];
    let aborted = 0;
    const silent = createServer((_, response) => {
      responses.push(response);
      response.once('close', () => (aborted += 1));
    });
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { startTracing, tracedEntry } = await freshModules();
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const close = await startTracing('catalog', { ...settings(), OTEL_EXPORTER_OTLP_ENDPOINT: url }, warn);
    tracedEntry('entry', {}, () => undefined);
    await close();
    // The exporter alone would abort after 5 s; the server would see that a moment later
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(aborted).toBe(0);
    // A status of 400 prevents a retry after the test
    for (const response of responses) response.writeHead(400).end();
    silent.close();
  });
});
