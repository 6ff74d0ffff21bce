import { jest } from '@jest/globals';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { eventually, TestCollector } from '#testing';

const warn = jest.fn();

const context = (trace: string, flags: '00' | '01') => `00-${trace.repeat(32)}-${'b'.repeat(16)}-${flags}`;

/** Tracing as a process has it that has just started. */
async function fresh() {
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

  it('is off without a collector: work is called, and nothing else', async () => {
    const { startTracing, ...tracing } = await fresh();
    await startTracing('catalog', { OTEL_TRACES_SAMPLER_ARG: 1 }, warn);
    const seen = tracing.tracedEntry('entry', { parent: context('a', '01') }, () =>
      tracing.traced('part', {}, () => [tracing.traceparent(), tracing.traceId(), tracing.isTraced()]),
    );
    expect(seen).toEqual([undefined, undefined, false]);
    expect(tracing.beginEntry('entry', {})).toBeUndefined();
  });

  it('tells each piece of work with the one that it is a part of', async () => {
    const { startTracing, traced, tracedEntry } = await fresh();
    const close = await startTracing('catalog', settings(), warn);
    const answer = await tracedEntry('entry', { parent: context('a', '01') }, () =>
      traced('part', { attributes: { size: 3 } }, () => Promise.resolve('done')),
    );
    expect(answer).toBe('done');
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

  it('tells what failed by its name, and refusals by their code', async () => {
    const { DomainError, startTracing, tracedEntry } = await fresh();
    const close = await startTracing('catalog', settings(), warn);
    const refusal = (status: number) =>
      new DomainError({ code: `code.${status}`, status, title: '' }, 'quotes what was sent');
    const failures = [refusal(404), refusal(503), new TypeError('quotes what was sent')];
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

  it('draws lots where a trace begins, and goes on as it was begun', async () => {
    const { startTracing, traceparent, traced, tracedEntry } = await fresh();
    const close = await startTracing('catalog', settings(0), warn);
    const handedOn = tracedEntry('first', {}, () => traced('part', {}, () => traceparent()));
    expect(handedOn).toMatch(/^00-[\da-f]{32}-[\da-f]{16}-00$/);
    tracedEntry('not recorded', { parent: context('a', '00') }, () => undefined);
    tracedEntry('recorded', { parent: context('a', '01') }, () => undefined);
    await close();
    expect(collector.spans.map(({ name }) => name)).toEqual(['recorded']);
  });

  it('loses spans while the collector is away, says so once, and hinders nobody', async () => {
    const { startTracing, tracedEntry } = await fresh();
    const close = await startTracing('catalog', settings(), warn);
    collector.close();
    expect(tracedEntry('entry', {}, () => 'done')).toBe('done');
    await eventually('the warning', () => warn.mock.calls.length > 0);
    tracedEntry('entry', {}, () => 'done');
    await close();
    expect(warn).toHaveBeenCalledTimes(1);
  });

  it('ends within two seconds when the collector is silent', async () => {
    const answers: ServerResponse[] = [];
    let givenUp = 0;
    const silent = createServer((_, response) => {
      answers.push(response);
      response.once('close', () => (givenUp += 1));
    });
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { startTracing, tracedEntry } = await fresh();
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const close = await startTracing('catalog', { ...settings(), OTEL_EXPORTER_OTLP_ENDPOINT: url }, warn);
    tracedEntry('entry', {}, () => undefined);
    await close();
    // By itself the exporter waits for 5 s, and gives up then, which is heard a moment later
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(givenUp).toBe(0);
    // Or it would be tried again behind our back
    for (const answer of answers) answer.writeHead(400).end();
    silent.close();
  });
});
