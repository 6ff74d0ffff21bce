import { z } from 'zod';
import { blobStoreSettings, blobStoreUrl, s3Place, withBothS3Keys } from './blob-store-settings.js';
import { readEnvironment } from './environment.js';

const told = (url: string): string | undefined => blobStoreUrl.safeParse(url).error?.issues[0]?.message;

describe('the address of a bucket', () => {
  it('may have everything, or just a bucket', () => {
    expect(s3Place('s3://my.bucket/some/where/?region=eu-west-1&endpoint=https://s3.example.com:9000')).toEqual({
      bucket: 'my.bucket',
      prefix: 'some/where',
      region: 'eu-west-1',
      endpoint: 'https://s3.example.com:9000',
    });
    expect(s3Place('s3://bucket')).toEqual({ bucket: 'bucket', prefix: '', region: undefined, endpoint: undefined });
  });

  it.each([
    ['nothing', 'must be a URL that starts with file:// or s3://'],
    ['https://bucket', 'must be a URL that starts with file:// or s3://'],
    ['s3://id:secret@bucket/', 'must hold a bucket and no keys, no port'],
    ['s3://bucket:9000/', 'must hold a bucket and no keys, no port'],
    ['s3:///prefix', 'must name a bucket, as s3://bucket/prefix'],
    ['s3://Bucket_1/', 'must name a bucket, as s3://bucket/prefix'],
    ['s3://bucket/a//b', 'must have a prefix of plain segments'],
    ['s3://bucket/a%20b', 'must have a prefix of plain segments'],
    ['s3://bucket?secret=x', 'may have region and endpoint as parameters'],
    ['s3://bucket?endpoint=s3.example.com', 'must have the scheme, host and port of a server as its endpoint'],
    ['s3://bucket?endpoint=http://a:b@host', 'must have the scheme, host and port of a server as its endpoint'],
    ['s3://bucket?endpoint=http://host/path', 'must have the scheme, host and port of a server as its endpoint'],
  ])('%s: %s', (url, message) => {
    expect(told(url)).toBe(message);
  });

  it.each(['file:///blobs', 's3://bucket?endpoint=http://127.0.0.1:9000/'])('%s is one', (url) => {
    expect(told(url)).toBeUndefined();
  });
});

describe('the keys of a bucket', () => {
  const Shape = withBothS3Keys(z.object(blobStoreSettings));
  const read = (environment: Record<string, string>) => () => readEnvironment(Shape, environment);
  const url = { BLOB_STORE_URL: 's3://bucket' };
  const [id, secret] = [{ AWS_ACCESS_KEY_ID: 'its-id' }, { AWS_SECRET_ACCESS_KEY: 'its-secret' }];

  it('are two or none', () => {
    expect(read({ ...url, ...id, ...secret })()).toEqual({ ...url, ...id, ...secret });
    expect(read({ ...url, AWS_ACCESS_KEY_ID: '' })()).toEqual(url);
  });

  it('are wrong when one is missing, beside all else that is wrong, and are not told', () => {
    expect(read(id)).toThrow(/BLOB_STORE_URL: .*\n.*AWS_SECRET_ACCESS_KEY: is missing/);
    expect(read({ ...url, ...secret })).toThrow('AWS_ACCESS_KEY_ID: is missing beside the other key');
    for (const one of [id, secret]) expect(read({ ...url, ...one })).not.toThrow(/its-/);
  });
});
