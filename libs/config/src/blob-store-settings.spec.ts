import { z } from 'zod';
import { blobStoreSettings, blobStoreUrl, parseS3Url, withBothS3Keys } from './blob-store-settings.js';
import { readEnvironment } from './environment.js';

const messageFor = (url: string): string | undefined => blobStoreUrl.safeParse(url).error?.issues[0]?.message;

describe('parseS3Url', () => {
  it('reads bucket, prefix, region and endpoint; all but the bucket are optional', () => {
    expect(parseS3Url('s3://my.bucket/some/where/?region=eu-west-1&endpoint=https://s3.example.com:9000')).toEqual({
      bucket: 'my.bucket',
      prefix: 'some/where',
      region: 'eu-west-1',
      endpoint: 'https://s3.example.com:9000',
    });
    expect(parseS3Url('s3://bucket')).toEqual({ bucket: 'bucket', prefix: '', region: undefined, endpoint: undefined });
  });

  it.each([
    ['nothing', 'must be a URL that starts with file:// or s3://'],
    ['https://bucket', 'must be a URL that starts with file:// or s3://'],
    ['s3://id:secret@bucket/', 'must be s3://bucket/prefix without credentials and port'],
    ['s3://bucket:9000/', 'must be s3://bucket/prefix without credentials and port'],
    ['s3:///prefix', 'must name a bucket, as s3://bucket/prefix'],
    ['s3://Bucket_1/', 'must name a bucket, as s3://bucket/prefix'],
    ['s3://bucket/a//b', 'must have a prefix of at most 200 letters, digits and . _ + -, with / between them'],
    ['s3://bucket/a%20b', 'must have a prefix of at most 200 letters, digits and . _ + -, with / between them'],
    ['s3://bucket?secret=x', 'must have no parameters other than region and endpoint'],
    ['s3://bucket?endpoint=s3.example.com', 'must have an origin as endpoint, such as https://s3.example.com'],
    ['s3://bucket?endpoint=http://a:b@host', 'must have an origin as endpoint, such as https://s3.example.com'],
    ['s3://bucket?endpoint=http://host/path', 'must have an origin as endpoint, such as https://s3.example.com'],
  ])('rejects %s: %s', (url, message) => {
    expect(messageFor(url)).toBe(message);
  });

  it.each(['file:///blobs', 's3://bucket?endpoint=http://127.0.0.1:9000/'])('accepts %s', (url) => {
    expect(messageFor(url)).toBeUndefined();
  });
});

describe('withBothS3Keys', () => {
  const Shape = withBothS3Keys(z.object(blobStoreSettings));
  const read = (environment: Record<string, string>) => () => readEnvironment(Shape, environment);
  const url = { BLOB_STORE_URL: 's3://bucket' };
  const [id, secret] = [{ AWS_ACCESS_KEY_ID: 'its-id' }, { AWS_SECRET_ACCESS_KEY: 'its-secret' }];

  it('accepts both keys, or none', () => {
    expect(read({ ...url, ...id, ...secret })()).toEqual({ ...url, ...id, ...secret });
    expect(read({ ...url, AWS_ACCESS_KEY_ID: '' })()).toEqual(url);
  });

  it('reports a missing key with the other validation errors, without its value', () => {
    expect(read(id)).toThrow(/BLOB_STORE_URL: .*\n.*AWS_SECRET_ACCESS_KEY: is missing/);
    expect(read({ ...url, ...secret })).toThrow('AWS_ACCESS_KEY_ID: is missing beside the other key');
    for (const key of [id, secret]) expect(read({ ...url, ...key })).not.toThrow(/its-/);
  });
});
