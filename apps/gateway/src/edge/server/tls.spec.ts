import { jest } from '@jest/globals';
import { EventEmitter } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { testCertificate } from '#testing';
import { followKeyPair } from './tls.js';

const everyMs = 5_000;
const folder = mkdtempSync(join(tmpdir(), 'tls-'));
const files = { TLS_CERT_FILE: join(folder, 'tls.crt'), TLS_KEY_FILE: join(folder, 'tls.key') };
const [first, second] = [testCertificate('first'), testCertificate('second')];
const hold = (cert: string, key: string): void => {
  writeFileSync(files.TLS_CERT_FILE, cert);
  writeFileSync(files.TLS_KEY_FILE, key);
};

/** A server that keeps what it is told to serve. */
class FakeServer extends EventEmitter {
  readonly served: string[] = [];

  setSecureContext({ cert }: { readonly cert: string }): void {
    this.served.push(cert === first.cert ? 'first' : 'second');
  }
}

let server: FakeServer;
let refusals: string[];

beforeEach(() => {
  jest.useFakeTimers();
  server = new FakeServer();
  refusals = [];
  const write = (line: string): void => {
    const { level, reason } = JSON.parse(line) as { level: number; reason: string };
    if (level === 50) refusals.push(reason);
  };
  hold(first.cert, first.key);
  followKeyPair(server as unknown as Server, files, pino({}, { write }), everyMs);
});
afterEach(() => {
  server.emit('close');
  jest.useRealTimers();
});
afterAll(() => rmSync(folder, { recursive: true }));

const looks = (count: number): void => {
  jest.advanceTimersByTime(count * everyMs);
};
const noFit = 'TLS_KEY_FILE does not belong to the certificate';

describe('a server that follows its certificate', () => {
  it('takes the same one once, and the next one when it is there', () => {
    looks(3);
    expect(server.served).toEqual(['first']);
    hold(second.cert, second.key);
    looks(2);
    expect(server.served).toEqual(['first', 'second']);
  });

  it('says nothing of files of which one has come before the other', () => {
    hold(second.cert, first.key);
    looks(1);
    hold(second.cert, second.key);
    looks(2);
    expect([server.served, refusals]).toEqual([['first', 'second'], []]);
  });

  it('keeps the last one while the new one is wrong, which it says once for each reason', () => {
    hold(second.cert, first.key);
    looks(5);
    rmSync(files.TLS_KEY_FILE);
    looks(5);
    expect([server.served, refusals]).toEqual([['first'], [noFit, 'TLS_KEY_FILE cannot be read (ENOENT)']]);
  });

  it('says it again when it is wrong again', () => {
    hold(second.cert, first.key);
    looks(3);
    hold(first.cert, first.key);
    looks(1);
    hold(second.cert, first.key);
    looks(3);
    expect([server.served, refusals]).toEqual([['first'], [noFit, noFit]]);
  });

  it('ends with the server', () => {
    server.emit('close');
    expect(jest.getTimerCount()).toBe(0);
  });
});
