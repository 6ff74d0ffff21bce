import { once } from 'node:events';
import { type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';

/** A received mail, decoded. */
interface ReceivedMail {
  /** Recipients of the envelope. */
  readonly recipients: readonly string[];
  /** By name in lower case, unfolded. */
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
}

const decodeQuotedPrintable = (encoded: string): Buffer =>
  Buffer.from(
    encoded
      .replace(/=\r\n/g, '')
      .replace(/=([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
    'latin1',
  );

/** Decodes the encoded words (RFC 2047) of a header. */
const decodeHeader = (value: string): string =>
  value
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?([bq])\?(.*?)\?=/gi, (_, encoding: string, word: string) =>
      (encoding.toLowerCase() === 'b'
        ? Buffer.from(word, 'base64')
        : decodeQuotedPrintable(word.replaceAll('_', ' '))
      ).toString(),
    );

/** Decodes a mail with one part of text. */
function decodeMail(recipients: readonly string[], raw: string): ReceivedMail {
  const [head = '', body = ''] = raw.split(/\r\n\r\n(.*)/s);
  const lines = head.replace(/\r\n[ \t]+/g, ' ').split('\r\n');
  const headers = new Map(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), decodeHeader(line.split(/: (.*)/s)[1] ?? '')]),
  );
  const encoding = headers.get('content-transfer-encoding');
  const decoded = encoding === 'base64' ? Buffer.from(body, 'base64') : decodeQuotedPrintable(body);
  return { recipients, headers, text: (encoding === '7bit' ? body : decoded.toString()).replaceAll('\r\n', '\n') };
}

/** An SMTP server that stores the mails that it receives. */
export class TestSmtpServer {
  readonly mails: ReceivedMail[] = [];
  /** Error replies to the next recipients, by their status; then recipients are accepted. */
  readonly rejections: number[] = [];
  acceptsSenders = true;

  private constructor(
    private readonly server: SMTPServer,
    readonly port: number,
  ) {}

  /** @param port 0 for a free port */
  static async start(port = 0): Promise<TestSmtpServer> {
    const server = new SMTPServer({
      disabledCommands: ['AUTH', 'STARTTLS'],
      onMailFrom: (_, _session, done) => {
        done(started.acceptsSenders ? null : Object.assign(new Error('Sender rejected'), { responseCode: 550 }));
      },
      onRcptTo: (_, _session, done) => {
        const responseCode = started.rejections.shift();
        done(responseCode === undefined ? null : Object.assign(new Error('Recipient rejected'), { responseCode }));
      },
      onData: (stream, { envelope }, done) => {
        void text(stream).then((raw) => {
          started.mails.push(
            decodeMail(
              envelope.rcptTo.map(({ address }) => address),
              raw,
            ),
          );
          done();
        });
      },
    });
    server.listen(port, '127.0.0.1');
    await once(server.server, 'listening');
    const started = new TestSmtpServer(server, (server.server.address() as AddressInfo).port);
    return started;
  }

  get url(): string {
    return `smtp://127.0.0.1:${this.port}`;
  }

  /** Returns the received mails to an address. */
  mailsTo(address: string): ReceivedMail[] {
    return this.mails.filter(({ recipients }) => recipients.includes(address));
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.server.close(resolve));
  }
}
