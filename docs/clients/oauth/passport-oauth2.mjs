import OAuth2Strategy from 'passport-oauth2';

const {
  STOREFRONT_URL: url,
  CLIENT_ID: clientID,
  CLIENT_SECRET: clientSecret,
  CALLBACK_URL: callbackURL,
} = process.env;
const addresses = { authorizationURL: `${url}/oauth/authorize`, tokenURL: `${url}/oauth/token`, callbackURL };
const checks = { state: true, pkce: true };
const settings = { ...addresses, ...checks, clientID, clientSecret, scope: 'read' };
export const strategy = new OAuth2Strategy(settings, (accessToken, _refresh, _profile, done) =>
  done(null, { accessToken }),
);
