import SuzuriStrategy from 'passport-suzuri';

const {
  STOREFRONT_URL: url,
  CLIENT_ID: clientID,
  CLIENT_SECRET: clientSecret,
  CALLBACK_URL: callbackURL,
} = process.env;
const addresses = { authorizationURL: `${url}/oauth/authorize`, tokenURL: `${url}/oauth/token`, callbackURL };
const settings = { ...addresses, userProfileURL: `${url}/api/v1/user`, clientID, clientSecret, scope: 'read' };
export const strategy = new SuzuriStrategy(
  { ...settings, state: true, pkce: true },
  (accessToken, _refresh, profile, done) => done(null, { ...profile, accessToken }),
);
// Sends the token of `GET /user` in the header. By default it is sent in the URL, which is rejected
strategy._oauth2.useAuthorizationHeaderforGET(true);
