import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** HTTP client program that uploads a file to a URL and prints the status of the response. */
interface RealClient {
  readonly program: string;
  /** Arguments that exit with 0 if the client is installed. */
  readonly check: readonly string[];
  readonly upload: (url: string, file: string, close: boolean) => readonly string[];
}

const contentType = 'application/json';
const connection = (close: boolean): string => (close ? 'close' : 'keep-alive');

const clients: Readonly<Record<string, RealClient>> = {
  'Python urllib': {
    program: 'python3',
    check: ['-c', 'import urllib.request'],
    // urllib always sends `Connection: close`
    upload: (url, file) => [
      '-c',
      `
import ssl, urllib.error, urllib.request
body = open('${file}', 'rb').read()
request = urllib.request.Request('${url}', data=body, headers={'Content-Type': '${contentType}'})
try:
  print(urllib.request.urlopen(request, context=ssl._create_unverified_context()).status)
except urllib.error.HTTPError as error:
  error.read()
  print(error.code)
`,
    ],
  },
  'Python requests': {
    program: 'python3',
    check: ['-c', 'import requests'],
    upload: (url, file, close) => [
      '-W',
      'ignore',
      '-c',
      `
import requests
body = open('${file}', 'rb').read()
headers = {'Content-Type': '${contentType}', 'Connection': '${connection(close)}'}
print(requests.post('${url}', data=body, headers=headers, verify=False).status_code)
`,
    ],
  },
  curl: {
    program: 'curl',
    check: ['--version'],
    upload: (url, file, close) => [
      ...['-sSk', '-o', '/dev/null', '-w', '%{http_code}', '-H', `content-type: ${contentType}`],
      ...['-H', `connection: ${connection(close)}`, '--data-binary', `@${file}`, url],
    ],
  },
  'node http': {
    program: process.execPath,
    check: ['--version'],
    upload: (url, file, close) => [
      '--input-type=module',
      '-e',
      `
      import { readFileSync } from 'node:fs';
      import { request } from '${new URL(url).protocol === 'https:' ? 'node:https' : 'node:http'}';
      const body = readFileSync('${file}');
      const headers = { 'content-type': '${contentType}', 'content-length': body.length, connection: '${connection(close)}' };
      request('${url}', { method: 'POST', headers, rejectUnauthorized: false }, (response) => {
        console.log(response.statusCode);
        response.resume();
      }).end(body);`,
    ],
  },
  'node fetch': {
    program: process.execPath,
    check: ['--version'],
    upload: (url, file) => [
      '--input-type=module',
      '-e',
      `
      import { readFileSync } from 'node:fs';
      process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
      process.removeAllListeners('warning');
      const headers = { 'content-type': '${contentType}' };
      const response = await fetch('${url}', { method: 'POST', headers, body: readFileSync('${file}') });
      await response.text();
      console.log(response.status);`,
    ],
  },
  "Ruby's Net::HTTP": {
    program: 'ruby',
    check: ['-e', 'require "net/http"'],
    upload: (url, file, close) => [
      '-e',
      `
      require "net/http"
      require "openssl"
      uri = URI("${url}")
      options = { use_ssl: uri.scheme == "https", verify_mode: OpenSSL::SSL::VERIFY_NONE }
      headers = { "Content-Type" => "${contentType}", "Connection" => "${connection(close)}" }
      Net::HTTP.start(uri.host, uri.port, **options) do |http|
        puts http.post(uri.path, File.binread("${file}"), headers).code
      end`,
    ],
  },
  wget: {
    program: 'wget',
    check: ['--version'],
    // Prints the status line and headers of the response
    upload: (url, file) => [
      ...['-q', '-S', '-O', '/dev/null', '--tries=1', '--no-check-certificate', '--content-on-error'],
      ...[`--header=content-type: ${contentType}`, `--post-file=${file}`, url],
    ],
  },
};

function isInstalled({ program, check }: RealClient): boolean {
  try {
    execFileSync(program, check, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Names of the HTTP clients installed on this machine; those of Node.js are always included. */
export const installedClients: readonly string[] = Object.keys(clients).filter((name) => isInstalled(clients[name]!));

/**
 * Uploads `bytes` spaces as JSON, and returns the status that the client prints, otherwise the last
 * line of its output.
 */
export async function uploadBy(client: string, url: string, bytes: number, close: boolean): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'upload-'));
  const file = join(folder, 'body.json');
  writeFileSync(file, Buffer.alloc(bytes, 0x20));
  const { program, upload } = clients[client]!;
  try {
    const { stdout, stderr } = await promisify(execFile)(program, upload(url, file, close)).catch((error: unknown) => {
      const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
      return { stdout, stderr };
    });
    const output = stdout.trim() === '' ? stderr.trim() : stdout.trim();
    return /HTTP\/1\.1 (?!100)(\d{3})/.exec(output)?.[1] ?? output.split('\n').at(-1)!;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
