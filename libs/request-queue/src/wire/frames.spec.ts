import { decodeReply, decodeRequest, encodeReply, encodeRequest, frameFlags, type RequestFrame } from './frames.js';

const request: RequestFrame = {
  flags: frameFlags.noReply,
  correlation: 2 ** 48 - 2,
  deadline: 1_793_212_345_678.25,
  ttl: 5_000,
  replyKey: 'rq:{gateway-0123456789abcdef}:r',
  pattern: 'products.list',
  headers: { requestId: 'ü', traceparent: '00-1-2-03' },
  payload: Buffer.from('{"page":1}'),
};

describe('request frames', () => {
  it('encode every field and the bytes of the payload', () => {
    expect(decodeRequest(encodeRequest(request))).toEqual(request);
  });

  it('can be encoded without headers and payload', () => {
    const small = { ...request, headers: {}, payload: Buffer.alloc(0) };
    expect(decodeRequest(encodeRequest(small))).toEqual(small);
  });

  it('decode to null when they are truncated before the payload', () => {
    const bytes = encodeRequest(request);
    for (let length = 0; length < bytes.length - request.payload.length; length++) {
      expect(decodeRequest(bytes.subarray(0, length))).toBeNull();
    }
  });

  it('decode to null with another version, invalid headers or an invalid deadline', () => {
    const other = encodeRequest(request);
    other[0] = 1;
    expect(decodeRequest(other)).toBeNull();
    expect(decodeRequest(encodeRequest({ ...request, headers: { count: 1 as unknown as string } }))).toBeNull();
    expect(decodeRequest(encodeRequest({ ...request, deadline: NaN }))).toBeNull();
    const broken = encodeRequest(request);
    broken[broken.length - request.payload.length - 1] = 0;
    expect(decodeRequest(broken)).toBeNull();
  });

  it('cannot be encoded with a pattern or headers over the maximum length', () => {
    expect(() => encodeRequest({ ...request, pattern: 'x'.repeat(256) })).toThrow(RangeError);
    expect(() => encodeRequest({ ...request, headers: { long: 'x'.repeat(70_000) } })).toThrow(RangeError);
  });
});

describe('reply frames', () => {
  const reply = {
    flags: frameFlags.raw,
    correlation: 7,
    status: 404,
    headers: { etag: '"1"' },
    body: Buffer.from([0, 255, 10]),
  };

  it('encode every field and the bytes of the body', () => {
    expect(decodeReply(encodeReply(reply))).toEqual(reply);
  });

  it('decode to null when truncated, of another version or without an HTTP status', () => {
    const bytes = encodeReply(reply);
    for (let length = 0; length < bytes.length - 3; length++) expect(decodeReply(bytes.subarray(0, length))).toBeNull();
    expect(decodeReply(encodeReply({ ...reply, status: 42 }))).toBeNull();
    bytes[0] = 9;
    expect(decodeReply(bytes)).toBeNull();
  });

  it('never throw for random bytes', () => {
    for (let seed = 0; seed < 2_000; seed++) {
      const bytes = Buffer.from(
        Array.from({ length: seed % 64 }, (_, index) => (index === 0 ? 2 : (seed * 31 + index * 97) % 256)),
      );
      expect(() => [decodeReply(bytes), decodeRequest(bytes)]).not.toThrow();
    }
  });
});
