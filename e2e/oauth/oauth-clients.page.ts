/**
 * Returns the HTML of a public client, a static page. Its script stores a verifier, redirects to
 * the shop, and redeems the code after the redirect back.
 */
export const publicClient = (shop: string, clientId: string): string => `<!doctype html>
<html lang="en">
<title>Public client</title>
<link rel="icon" href="data:,">
<script type="module">
const base64url = (bytes) =>
  btoa(String.fromCharCode(...new Uint8Array(bytes))).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
const client = { client_id: ${JSON.stringify(clientId)}, redirect_uri: location.origin + location.pathname };
const back = new URLSearchParams(location.search);
const read = async (path, init) => (await fetch(${JSON.stringify(shop)} + path, init)).json();
if (back.has('code')) {
  if (back.get('state') !== sessionStorage.getItem('state')) throw new Error('state mismatch');
  const code_verifier = sessionStorage.getItem('verifier');
  const body = new URLSearchParams({ grant_type: 'authorization_code', ...client, code: back.get('code'), code_verifier });
  const { access_token } = await read('/oauth/token', { method: 'POST', body });
  const { user } = await read('/api/v1/user', { headers: { authorization: 'Bearer ' + access_token } });
  const title = document.createElement('h1');
  title.textContent = 'Hello ' + user.name;
  document.body.append(title);
} else {
  const verifier = base64url(crypto.getRandomValues(new Uint8Array(32)));
  const state = base64url(crypto.getRandomValues(new Uint8Array(16)));
  sessionStorage.setItem('verifier', verifier);
  sessionStorage.setItem('state', state);
  const code_challenge = base64url(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier)));
  const parameters = { response_type: 'code', ...client, scope: 'read', state, code_challenge, code_challenge_method: 'S256' };
  location.assign(${JSON.stringify(shop)} + '/oauth/authorize?' + new URLSearchParams(parameters));
}
</script>
</html>`;
