import { type EventEmitter } from 'node:events';
import { type DataSource, QueryFailedError } from 'typeorm';
import { Database, serviceDataSource } from './database.js';

/** A data source whose statements and transactions fail in one way: a real database cannot be asked to. */
const failing = (error: Error): Database => {
  const reject = () => Promise.reject(error);
  return new Database({ query: reject, transaction: reject } as unknown as DataSource);
};
const coded = (code: string) => Object.assign(new Error('from the driver'), { code });

const options = { service: 'social', url: 'postgres://away', poolSize: 1, entities: [] } as const;

it('a connection is waited for 5 s, an answer of a silent server 12 s', () => {
  const limits = { connectionTimeoutMillis: 5_000, query_timeout: 12_000 };
  expect(serviceDataSource(options).options.extra).toMatchObject(limits);
});

describe('a database that is away', () => {
  it.each([
    ['a refused connection', coded('ECONNREFUSED')],
    ['a shutdown', new QueryFailedError('select 1', [], coded('57P01'))],
    ['a cut connection', new Error('Connection terminated unexpectedly')],
    ['a silent link', new Error('Query read timeout')],
  ])('is 503 with Retry-After: %s', async (_, error) => {
    const away = { status: 503, kind: { code: 'service.unavailable' }, headers: { 'retry-after': '1' } };
    await expect(failing(error).query('select 1')).rejects.toMatchObject(away);
    await expect(failing(error).transaction(() => Promise.resolve())).rejects.toMatchObject(away);
  });

  it('ends no process when it ends a session that is just handed out', () => {
    const { Client } = serviceDataSource(options).options.extra as { Client: new () => EventEmitter };
    expect(() => new Client().emit('error', coded('57P01'))).not.toThrow();
  });

  it.each(['55P03', '57014'])(
    'is busy and not broken when a time limit of its own ends a statement: %s',
    async (code) => {
      const error = new QueryFailedError('update', [], coded(code));
      const busy = { status: 503, kind: { code: 'service.overloaded' }, headers: { 'retry-after': '1' } };
      await expect(failing(error).query('update')).rejects.toMatchObject(busy);
      await expect(failing(error).transaction(() => Promise.resolve())).rejects.toMatchObject(busy);
    },
  );

  it('is not what a refused write is taken for', async () => {
    const refused = new QueryFailedError('insert', [], coded('23505'));
    await expect(failing(refused).query('insert')).rejects.toBe(refused);
  });
});
