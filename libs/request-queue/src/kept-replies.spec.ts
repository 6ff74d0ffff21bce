import { KeptReplies } from './kept-replies.js';

const bytes = (length: number): Buffer => Buffer.alloc(length, 'x');

describe('bodies that are kept', () => {
  it('are found by the question that they answered last', () => {
    const kept = new KeptReplies(100_000);
    expect(kept.last('list')).toBeUndefined();
    kept.keep('list', '"one"', Buffer.from('one'));
    kept.keep('list', '"two"', Buffer.from('two'));
    kept.keep('other', '"one"', Buffer.from('one'));
    expect(kept.last('list')).toMatchObject({ etag: '"two"', body: Buffer.from('two') });
    expect(kept.last('other')).toMatchObject({ etag: '"one"' });
  });

  it('are one for all questions that have the same answer, with what was made of it', () => {
    const kept = new KeptReplies(100_000);
    const body = kept.keep('list', '"one"', Buffer.from('one'));
    body.encoded.set('br', Promise.resolve(Buffer.from('o')));
    expect(kept.keep('list of another', '"one"', Buffer.from('one'))).toBe(body);
  });

  it('have memory of their own, not that of all that came with them', () => {
    const arrived = Buffer.alloc(1024 * 1024, 'x');
    const { body } = new KeptReplies(100_000).keep('list', '"one"', arrived.subarray(100, 5_100));
    expect(body.buffer.byteLength).toBeLessThan(20_000);
    arrived.fill('y');
    expect(body.equals(bytes(5_000))).toBe(true);
  });

  it('never take more memory than they may, what was asked for least recently goes first', () => {
    const kept = new KeptReplies(1_000_000);
    for (let n = 0; n < 1_000; n++) {
      kept.keep(`page ${n}`, `"${n}"`, bytes(10_000));
      expect(kept.last('page 0')).toBeDefined();
      expect(kept.bytes).toBeLessThanOrEqual(1_000_000);
    }
    expect(kept.last('page 999')).toBeDefined();
    expect(kept.last('page 1')).toBeUndefined();
    // Larger than all memory there is
    kept.keep('huge', '"huge"', bytes(600_000));
    expect(kept.last('huge')).toBeUndefined();
  });
});
