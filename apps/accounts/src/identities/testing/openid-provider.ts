import { fork } from 'node:child_process';
import { once } from 'node:events';
import { projectPath } from '#config';

const program = projectPath('dist/apps/accounts/src/identities/testing/openid-provider-process.js');

export interface OpenIdProvider {
  readonly issuer: string;
  /** What a person does there, who goes to the address and signs in. @returns what the browser is sent back with */
  signIn(address: string, login: string): Promise<Record<string, string>>;
  /** The same for somebody who presses Cancel. */
  cancel(address: string): Promise<Record<string, string>>;
  close(): Promise<void>;
}

/** Starts `oidc-provider` as a process of its own. */
export async function openIdProvider(redirectUri: string): Promise<OpenIdProvider> {
  // It warns on stderr that what it is used for here is not for production
  const child = fork(program, [redirectUri], { execArgv: [], stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  const exited = once(child, 'exit');
  const [issuer] = (await Promise.race([once(child, 'message'), exited])) as [unknown];
  if (typeof issuer !== 'string') throw new Error('the provider ended before it was ready');
  return {
    issuer,
    async signIn(address, login) {
      const person = new Person(redirectUri);
      const asked = await person.go(address);
      const consent = await person.go(asked.url, { prompt: 'login', login, password: 'any' });
      const done = await person.go(consent.url, { prompt: 'consent' });
      return Object.fromEntries(new URL(done.url).searchParams);
    },
    async cancel(address) {
      const person = new Person(redirectUri);
      const asked = await person.go(address);
      const done = await person.go(`${asked.url}/abort`);
      return Object.fromEntries(new URL(done.url).searchParams);
    },
    async close() {
      child.disconnect();
      await exited;
    },
  };
}

/** A browser that follows redirects until one leads home. */
class Person {
  private readonly cookies = new Map<string, string>();

  constructor(private readonly home: string) {}

  async go(address: string, form?: Record<string, string>): Promise<{ url: string }> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const body = form && new URLSearchParams(form);
    const answer = await fetch(address, {
      redirect: 'manual',
      headers: { cookie },
      ...(body && { method: 'POST', body }),
    });
    const text = await answer.text();
    for (const line of answer.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      if (value === '') this.cookies.delete(name!);
      else this.cookies.set(name!, value!);
    }
    if (answer.status >= 400) throw new Error(`${answer.status} at ${address}: ${text.slice(0, 500)}`);
    const location = answer.headers.get('location');
    if (location === null) return { url: address };
    const url = new URL(location, address).href;
    return url.startsWith(this.home) ? { url } : this.go(url);
  }
}
