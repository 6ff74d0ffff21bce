/** A page as a browser without script gets it. Redirects are not followed. */
export interface Opened {
  readonly status: number;
  readonly headers: Headers;
  readonly html: string;
  /** The value that the first form of the page sends as `csrf`; empty when there is no form. */
  readonly csrf: string;
}

/** A browser for tests of pages: keeps cookies, sends forms. */
export interface Browser {
  open(path: string, headers?: Record<string, string>, method?: string, body?: RequestInit['body']): Promise<Opened>;
  send(path: string, form: Record<string, string | undefined>, headers?: Record<string, string>): Promise<Opened>;
  /** Returns the value of the session cookie. */
  cookie(): string | undefined;
  setSession(session: string): void;
  clearCookies(): void;
}

/** @param origin of the gateway; its BASE_URL may have another one, and may be HTTPS or HTTP */
export function browse(origin: string): Browser {
  const cookies = new Map<string, string>();
  const ask = async (path: string, init: RequestInit): Promise<Opened> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { accept: 'text/html', ...(cookie !== '' && { cookie }), ...(init.headers as object) };
    const answer = await fetch(`${origin}${path}`, { ...init, headers, redirect: 'manual' });
    for (const line of answer.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      if (value === '') cookies.delete(name!);
      else cookies.set(name!, value!);
    }
    const html = await answer.text();
    const csrf = /name="csrf" value="([^"]*)"/.exec(html)?.[1] ?? '';
    return { status: answer.status, headers: answer.headers, html, csrf };
  };
  const sessionName = (): string => [...cookies.keys()].find((name) => name.endsWith('session')) ?? '__Host-session';
  return {
    open: (path, headers = {}, method = 'GET', body) =>
      ask(path, { method, headers, ...(body !== undefined && { body, duplex: 'half' }) }),
    send: (path, form, headers = {}) => {
      const pairs = Object.entries(form).filter((pair): pair is [string, string] => pair[1] !== undefined);
      return ask(path, { method: 'POST', body: new URLSearchParams(pairs), headers });
    },
    cookie: () => cookies.get(sessionName()),
    setSession: (session) => void cookies.set('__Host-session', session),
    clearCookies: () => cookies.clear(),
  };
}
