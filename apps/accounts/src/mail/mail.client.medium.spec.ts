import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { TestSmtpServer } from '#testing';
import type { AccountsEnv } from '../env.js';
import { MailClient } from './mail.client.js';

const clientOf = (url?: string) =>
  new MailClient({ SMTP_URL: url, MAIL_FROM: { name: 'ショップ', address: 'shop@example.com' } } as AccountsEnv);
const mail = { subject: 'パスワードの再設定', text: 'Hello\n\n次のリンク\nhttps://shop.example.com/?token=x\n' };

let server: TestSmtpServer;

beforeEach(async () => {
  server = await TestSmtpServer.start();
});
afterEach(() => server.close());

it('sends plain text with sender and subject in any characters', async () => {
  await expect(clientOf(server.url).send('hanako@example.com', mail)).resolves.toBe(true);
  const [{ recipients, headers, text }] = server.mails as [(typeof server.mails)[0]];
  expect(recipients).toEqual(['hanako@example.com']);
  expect(headers.get('from')).toBe('ショップ <shop@example.com>');
  expect(headers.get('to')).toBe('hanako@example.com');
  expect(headers.get('subject')).toBe(mail.subject);
  expect(headers.get('content-type')).toMatch(/^text\/plain; charset=utf-8/);
  expect(text.trim()).toBe(mail.text.trim());
});

it.each([
  ['hanako@example.com, taro@example.com', 'Subject'],
  ['hanako@example.com>\r\nRCPT TO:<taro@example.com', 'Subject'],
  ['hanako@example.com\r\nBcc: taro@example.com', 'Subject'],
  ['hanako@example.com', 'Subject\r\nBcc: taro@example.com'],
])('adds no recipient and no header: %j, %j', async (address, subject) => {
  await clientOf(server.url)
    .send(address, { subject, text: 'Text' })
    .catch(() => undefined);
  expect(server.mailsTo('taro@example.com')).toEqual([]);
  for (const { recipients, headers } of server.mails)
    expect([recipients.length, headers.has('bcc')]).toEqual([1, false]);
});

it('throws an outage while the server does not listen, without the recipient', async () => {
  await server.close();
  await expect(clientOf(server.url).send('hanako@example.com', mail)).rejects.toMatchObject({
    name: 'IsolatedOutage',
    message: expect.stringMatching(/^SMTP_URL unavailable: (?!.*hanako)/),
  });
});

it('throws an outage when the server closes the connection', async () => {
  const closing = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  await once(closing, 'listening');
  const { port } = closing.address() as AddressInfo;
  await expect(clientOf(`smtp://127.0.0.1:${port}`).send('hanako@example.com', mail)).rejects.toMatchObject({
    name: 'IsolatedOutage',
  });
  closing.close();
});

it('throws an outage after the deadline, and closes the connection, when the server replies byte by byte', async () => {
  const trickling = createServer((socket) => {
    const timer = setInterval(() => socket.write('220-shop\r\n'), 20);
    socket.on('error', () => undefined).on('close', () => clearInterval(timer));
  }).listen(0, '127.0.0.1');
  await once(trickling, 'listening');
  const client = clientOf(`smtp://127.0.0.1:${(trickling.address() as AddressInfo).port}`);
  await expect(client.send('hanako@example.com', mail, AbortSignal.timeout(300))).rejects.toMatchObject({
    name: 'IsolatedOutage',
    message: 'SMTP_URL unavailable: EABORT',
  });
  trickling.close();
  // Emitted only when all connections are closed
  await once(trickling, 'close');
});

it('throws an outage for a temporary reply, and returns false for a rejected recipient', async () => {
  server.rejections.push(450, 550);
  const client = clientOf(server.url);
  await expect(client.send('hanako@example.com', mail)).rejects.toMatchObject({ name: 'IsolatedOutage' });
  await expect(client.send('hanako@example.com', mail)).resolves.toBe(false);
  await expect(client.send('hanako@example.com', mail)).resolves.toBe(true);
});

it('throws an error that uses up an attempt when the server rejects the sender', async () => {
  server.acceptsSenders = false;
  await expect(clientOf(server.url).send('hanako@example.com', mail)).rejects.toMatchObject({
    name: 'Error',
    message: 'SMTP_URL rejected the mail: EENVELOPE MAIL FROM 550',
  });
});

it('is disabled without a server', () => {
  expect([clientOf().isEnabled, clientOf(server.url).isEnabled]).toEqual([false, true]);
});
