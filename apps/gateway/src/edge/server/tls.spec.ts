import { jest } from '@jest/globals';
import { EventEmitter } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { testCertificate } from '#testing';
import { watchKeyPair } from './tls.js';

const everyMs = 5_000;
const folder = mkdtempSync(join(tmpdir(), 'tls-'));
const files = { TLS_CERT_FILE: join(folder, 'tls.crt'), TLS_KEY_FILE: join(folder, 'tls.key') };
const [first, second] = [testCertificate('first'), testCertificate('second')];
const writeFiles = (cert: string, key: string): void => {
  writeFileSync(files.TLS_CERT_FILE, cert);
  writeFileSync(files.TLS_KEY_FILE, key);
};

/** Fake server that records secure contexts. */
class FakeServer extends EventEmitter {
  readonly served: string[] = [];

  setSecureContext({ cert }: { readonly cert: string }): void {
    this.served.push(cert === first.cert ? 'first' : 'second');
  }
}

let server: FakeServer;
let errors: string[];

beforeEach(() => {
  jest.useFakeTimers();
  server = new FakeServer();
  errors = [];
  const write = (line: string): void => {
    const { level, reason } = JSON.parse(line) as { level: number; reason: string };
    if (level === 50) errors.push(reason);
  };
  writeFiles(first.cert, first.key);
  watchKeyPair(server as unknown as Server, files, pino({}, { write }), everyMs);
});
afterEach(() => {
  server.emit('close');
  jest.useRealTimers();
});
afterAll(() => rmSync(folder, { recursive: true }));

const poll = (count: number): void => {
  jest.advanceTimersByTime(count * everyMs);
};
const mismatch = 'TLS_KEY_FILE does not match the certificate';

describe('certificate reload', () => {
  it('applies a certificate once, and the next one when it changes', () => {
    poll(3);
    expect(server.served).toEqual(['first']);
    writeFiles(second.cert, second.key);
    poll(2);
    expect(server.served).toEqual(['first', 'second']);
  });

  it('does not log while only one file has been replaced', () => {
    writeFiles(second.cert, first.key);
    poll(1);
    writeFiles(second.cert, second.key);
    poll(2);
    expect([server.served, errors]).toEqual([['first', 'second'], []]);
  });

  it('continues with the last valid certificate, and logs each error once', () => {
    writeFiles(second.cert, first.key);
    poll(5);
    rmSync(files.TLS_KEY_FILE);
    poll(5);
    expect([server.served, errors]).toEqual([['first'], [mismatch, 'TLS_KEY_FILE cannot be read (ENOENT)']]);
  });

  it('logs an error again after a valid certificate', () => {
    writeFiles(second.cert, first.key);
    poll(3);
    writeFiles(first.cert, first.key);
    poll(1);
    writeFiles(second.cert, first.key);
    poll(3);
    expect([server.served, errors]).toEqual([['first'], [mismatch, mismatch]]);
  });

  it('stops when the server closes', () => {
    server.emit('close');
    expect(jest.getTimerCount()).toBe(0);
  });
});
