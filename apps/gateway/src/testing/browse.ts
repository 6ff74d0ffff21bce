/** Response to the request of a page. Scripts are not executed and redirects not followed. */
export interface Opened {
  readonly status: number;
  readonly headers: Headers;
  readonly html: string;
  /** CSRF token of the first form of the page; empty without a form. */
  readonly csrf: string;
}

/** Test browser, which stores cookies and submits forms. */
export interface Browser {
  open(path: string, headers?: Record<string, string>, method?: string, body?: RequestInit['body']): Promise<Opened>;
  send(path: string, form: Record<string, string | undefined>, headers?: Record<string, string>): Promise<Opened>;
  /** Returns the value of the session cookie. */
  cookie(): string | undefined;
  setSession(session: string): void;
  clearCookies(): void;
}

/**
 * Creates a test browser.
 *
 * @param origin origin of the gateway, which may differ from the origin of BASE_URL
 */
export function browse(origin: string): Browser {
  const cookies = new Map<string, string>();
  const request = async (path: string, init: RequestInit): Promise<Opened> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { accept: 'text/html', ...(cookie !== '' && { cookie }), ...(init.headers as object) };
    const response = await fetch(`${origin}${path}`, { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      if (value === '') cookies.delete(name!);
      else cookies.set(name!, value!);
    }
    const html = await response.text();
    const csrf = /name="csrf" value="([^"]*)"/.exec(html)?.[1] ?? '';
    return { status: response.status, headers: response.headers, html, csrf };
  };
  const sessionName = (): string => [...cookies.keys()].find((name) => name.endsWith('session')) ?? '__Host-session';
  return {
    open: (path, headers = {}, method = 'GET', body) =>
      request(path, { method, headers, ...(body !== undefined && { body, duplex: 'half' }) }),
    send: (path, form, headers = {}) => {
      const pairs = Object.entries(form).filter((pair): pair is [string, string] => pair[1] !== undefined);
      return request(path, { method: 'POST', body: new URLSearchParams(pairs), headers });
    },
    cookie: () => cookies.get(sessionName()),
    setSession: (session) => void cookies.set('__Host-session', session),
    clearCookies: () => cookies.clear(),
  };
}
