import { type EventEmitter } from 'node:events';
import { type DataSource, QueryFailedError } from 'typeorm';
import { Database, serviceDataSource, type Tx } from './database.js';

/** Returns a database whose statements and transactions all fail with `error`. */
const failingDatabase = (error: Error): Database => {
  const reject = () => Promise.reject(error);
  return new Database({ query: reject, transaction: reject } as unknown as DataSource);
};
/** Returns a database whose transactions fail with `error` in their COMMIT. */
const failingCommit = (error: Error): Database => {
  const transaction = (work: (tx: Tx) => Promise<unknown>) => work({} as Tx).then(() => Promise.reject(error));
  return new Database({ transaction } as unknown as DataSource);
};
const driverErrorOf = (code: string) => Object.assign(new Error('from the driver'), { code });

const options = { service: 'social', url: 'postgres://unreachable', poolSize: 1, entities: [] } as const;

it('times out after 5 s without a connection and 12 s without a result', () => {
  const limits = { connectionTimeoutMillis: 5_000, query_timeout: 12_000 };
  expect(serviceDataSource(options).options.extra).toMatchObject(limits);
});

describe('an unreachable or overloaded database', () => {
  it.each([
    ['no listening server', driverErrorOf('ECONNREFUSED')],
    ['a shutdown', new QueryFailedError('select 1', [], driverErrorOf('57P01'))],
    ['a cut connection', new Error('Connection terminated unexpectedly')],
    ['a connection without replies', new Error('Query read timeout')],
  ])('gives 503 with Retry-After: %s', async (_, error) => {
    const unavailable = { status: 503, kind: { code: 'service.unavailable' }, headers: { 'retry-after': '1' } };
    await expect(failingDatabase(error).query('select 1')).rejects.toMatchObject(unavailable);
    await expect(failingDatabase(error).transaction(() => Promise.resolve())).rejects.toMatchObject(unavailable);
  });

  it.each([
    ['a full disk', '53100'],
    ['a read-only server', '25006'],
    ['a session ended while idle in a transaction', '25P03'],
    ['an error of a file', '58030'],
  ])('gives 503 for a write that the server has rejected: %s', async (_, code) => {
    const rejected = new QueryFailedError('insert', [], driverErrorOf(code));
    const unavailable = { status: 503, kind: { code: 'service.unavailable' } };
    await expect(failingDatabase(rejected).query('insert')).rejects.toMatchObject(unavailable);
    await expect(failingCommit(rejected).transaction(() => Promise.resolve())).rejects.toMatchObject(unavailable);
  });

  it.each(['57P01', '08006', 'ECONNRESET'])('gives 504 for a write that may have been executed: %s', async (code) => {
    const lost = new QueryFailedError('insert', [], driverErrorOf(code));
    const unknown = { status: 504, kind: { code: 'service.no-answer' } };
    await expect(failingDatabase(lost).query('insert')).rejects.toMatchObject(unknown);
    await expect(failingCommit(lost).transaction(() => Promise.resolve())).rejects.toMatchObject(unknown);
  });

  it('does not end the process when the server ends an unused session', () => {
    const { Client } = serviceDataSource(options).options.extra as { Client: new () => EventEmitter };
    expect(() => new Client().emit('error', driverErrorOf('57P01'))).not.toThrow();
  });

  it.each(['55P03', '57014'])('gives service.overloaded when a time limit of the server is over: %s', async (code) => {
    const error = new QueryFailedError('update', [], driverErrorOf(code));
    const overloaded = { status: 503, kind: { code: 'service.overloaded' }, headers: { 'retry-after': '1' } };
    await expect(failingDatabase(error).query('update')).rejects.toMatchObject(overloaded);
    await expect(failingDatabase(error).transaction(() => Promise.resolve())).rejects.toMatchObject(overloaded);
  });

  it('does not convert a violated constraint', async () => {
    const violation = new QueryFailedError('insert', [], driverErrorOf('23505'));
    await expect(failingDatabase(violation).query('insert')).rejects.toBe(violation);
  });
});
