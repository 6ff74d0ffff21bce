import { fork } from 'node:child_process';
import { once } from 'node:events';
import { projectPath } from '#config';

const program = projectPath('dist/apps/accounts/src/identities/testing/openid-provider-process.js');

export interface OpenIdProvider {
  readonly issuer: string;
  /** Signs in at the authorization URL. @returns the parameters of the callback */
  signIn(address: string, login: string): Promise<Record<string, string>>;
  /** Cancels the sign-in. @returns the parameters of the callback */
  cancel(address: string): Promise<Record<string, string>>;
  close(): Promise<void>;
}

/** Starts `oidc-provider` as a child process. */
export async function openIdProvider(redirectUri: string): Promise<OpenIdProvider> {
  // The provider warns on stderr that its configuration is not for production
  const child = fork(program, [redirectUri], { execArgv: [], stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  const exited = once(child, 'exit');
  const [issuer] = (await Promise.race([once(child, 'message'), exited])) as [unknown];
  if (typeof issuer !== 'string') throw new Error('the provider ended before it was ready');
  return {
    issuer,
    async signIn(address, login) {
      const browser = new Browser(redirectUri);
      const loginPage = await browser.open(address);
      const consentPage = await browser.open(loginPage.url, { prompt: 'login', login, password: 'any' });
      const callback = await browser.open(consentPage.url, { prompt: 'consent' });
      return Object.fromEntries(new URL(callback.url).searchParams);
    },
    async cancel(address) {
      const browser = new Browser(redirectUri);
      const loginPage = await browser.open(address);
      const callback = await browser.open(`${loginPage.url}/abort`);
      return Object.fromEntries(new URL(callback.url).searchParams);
    },
    async close() {
      child.disconnect();
      await exited;
    },
  };
}

/** Browser that follows redirects to a page. Returns a redirect to the callback URL unfollowed. */
class Browser {
  private readonly cookies = new Map<string, string>();

  constructor(private readonly callbackUrl: string) {}

  async open(address: string, form?: Record<string, string>): Promise<{ url: string }> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const body = form && new URLSearchParams(form);
    const response = await fetch(address, {
      redirect: 'manual',
      headers: { cookie },
      ...(body && { method: 'POST', body }),
    });
    const text = await response.text();
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      if (value === '') this.cookies.delete(name!);
      else this.cookies.set(name!, value!);
    }
    if (response.status >= 400) throw new Error(`${response.status} at ${address}: ${text.slice(0, 500)}`);
    const location = response.headers.get('location');
    if (location === null) return { url: address };
    const url = new URL(location, address).href;
    return url.startsWith(this.callbackUrl) ? { url } : this.open(url);
  }
}
