import type { Application } from '../oauth/oauth-clients.js';

/** What is no operation of the API: pages, and what anybody may fetch. Two people have signed in, and one has not. */
export const visitors = ['no session', 'another session', 'own session'] as const;
export type Visitor = (typeof visitors)[number];

/** What the addresses are about. All of it belongs to the person with `own session`. */
export interface PageWorld {
  readonly userName: string;
  readonly application: Application;
  /** An application's question, which the person has not been asked yet. */
  readonly authorizePath: string;
  /** Of a product that is not published: its owner alone may see it. */
  readonly productPath: string;
  /** The signature in it is what lets anybody see the image. */
  readonly imagePath: string;
  readonly assetPath: string;
}

interface PageRow {
  /** As the route declares it: anybody without a look at who asks, everybody with or without a session, or members. */
  readonly who: 'public' | 'everybody' | 'members';
  readonly at: (world: PageWorld) => string;
  /** What a form sends beside `csrf`. */
  readonly form?: Readonly<Record<string, string>>;
  /** Statuses in the order of the visitors. */
  readonly answers: readonly [stranger: number, another: number, own: number];
}

type Place = string | PageRow['at'];
const place = (at: Place): PageRow['at'] => (typeof at === 'string' ? () => at : at);
type Form = PageRow['form'];

/** Whatever comes with the request, it is not looked at. */
const open = (at: Place, status = 200): PageRow => ({
  who: 'public',
  at: place(at),
  answers: [status, status, status],
});
const forEverybody = (at: Place, answers: PageRow['answers'], form?: Form): PageRow => ({
  who: 'everybody',
  at: place(at),
  answers,
  ...(form && { form }),
});
/** Strangers are sent to the sign-in. */
const forMembers = (at: Place, another: number, own: number, form?: Form): PageRow => ({
  who: 'members',
  at: place(at),
  answers: [303, another, own],
  ...(form && { form }),
});
/** It is about whoever asks: there is no way to name somebody else. */
const aboutOneself = (at: Place, status = 200, form?: Form): PageRow => forMembers(at, status, status, form);
/** It is about one thing, which nobody but its owner may know of. */
const ofTheOwner =
  (below: string, own = 200) =>
  (form?: Form): PageRow =>
    forMembers(({ application: { id } }) => `/applications/${id}${below}`, 404, own, form);

const application = {
  description: '',
  homePage: '',
  redirectUris: 'https://posters.example.com/callback',
  write: 'yes',
};

/** Every route that is no operation, as the router knows it. Those that end something stand at the end. */
export const pages: Readonly<Record<string, PageRow>> = {
  'GET /': forEverybody('/', [200, 200, 200]),
  'GET /search': forEverybody('/search?q=x', [200, 200, 200]),
  'GET /:user': forEverybody(({ userName }) => `/${userName}`, [200, 200, 200]),
  'GET /:user/:material/:item': forEverybody(({ productPath }) => productPath.split('/', 4).join('/'), [404, 404, 303]),
  'GET /:user/:material/:item/:size/:color': forEverybody(({ productPath }) => productPath, [404, 404, 200]),
  'GET /language/:language': forEverybody('/language/ja', [303, 303, 303]),
  'GET /sign-in': forEverybody('/sign-in', [200, 303, 303]),
  'POST /sign-in': forEverybody('/sign-in', [422, 422, 422]),
  'GET /sign-up': forEverybody('/sign-up', [200, 303, 303]),
  'POST /sign-up': forEverybody('/sign-up', [422, 303, 303]),
  // The stack of the tests knows no other provider
  'POST /sign-in/with/:provider': forEverybody('/sign-in/with/nobody', [404, 404, 404]),
  'GET /sign-in/with/:provider/callback': forEverybody('/sign-in/with/nobody/callback', [404, 404, 404]),
  'GET /sign-up/with/:provider': forEverybody('/sign-up/with/nobody', [303, 303, 303]),
  'POST /sign-up/with/:provider': forEverybody('/sign-up/with/nobody', [422, 422, 422]),
  'GET /oauth/authorize': forEverybody(({ authorizePath }) => authorizePath, [303, 200, 200]),
  'POST /oauth/authorize': forEverybody(({ authorizePath }) => authorizePath, [303, 303, 303], { decision: 'deny' }),
  'GET /account/deleted': forEverybody('/account/deleted', [200, 303, 303]),

  'GET /account': aboutOneself('/account'),
  'GET /account/profile': aboutOneself('/account/profile'),
  'POST /account/profile': aboutOneself('/account/profile', 303, { displayName: 'Me', homePage: '', about: '' }),
  'GET /account/email': aboutOneself('/account/email'),
  'POST /account/email': aboutOneself('/account/email', 422),
  'GET /account/password': aboutOneself('/account/password'),
  'POST /account/password': aboutOneself('/account/password', 422),
  'GET /account/delete': aboutOneself('/account/delete'),
  'POST /account/delete': aboutOneself('/account/delete', 422),
  'GET /account/identities': aboutOneself('/account/identities'),
  'POST /account/identities/:identityId/unlink': forMembers('/account/identities/1/unlink', 404, 404),
  'GET /account/applications': aboutOneself('/account/applications'),
  'POST /account/applications/:id/revoke': aboutOneself('/account/applications/1/revoke', 303),
  'GET /applications': aboutOneself('/applications'),
  'GET /applications/new': aboutOneself('/applications/new'),
  'POST /applications/new': aboutOneself('/applications/new', 422),
  'GET /applications/key': aboutOneself('/applications/key'),
  'POST /applications/key': aboutOneself('/applications/key', 422),
  'GET /applications/key/replace': aboutOneself('/applications/key/replace'),
  'POST /applications/key/replace': aboutOneself('/applications/key/replace', 422),
  'GET /applications/:id': ofTheOwner('')(),
  'POST /applications/:id': ofTheOwner('', 303)({ name: 'Posters', ...application }),
  'GET /applications/:id/secret': ofTheOwner('/secret')(),
  'POST /applications/:id/secret': ofTheOwner('/secret')(),
  'GET /applications/:id/delete': ofTheOwner('/delete')(),
  'POST /applications/:id/delete': ofTheOwner('/delete', 303)({ confirmation: 'Posters' }),

  'GET /docs': open('/docs'),
  'GET /docs/:name': open('/docs/swagger-ui.css'),
  'GET /problems': open('/problems'),
  'GET /problems/:code': open('/problems/token.missing'),
  'GET /assets/:name': open(({ assetPath }) => assetPath),
  'GET /icons/:name': open('/icons/t-shirt.svg'),
  'GET /images/v1/*': open(({ imagePath }) => imagePath),
  'GET /health/live': open('/health/live'),
  'GET /health/ready': open('/health/ready'),
  'GET /.well-known/oauth-authorization-server': open('/.well-known/oauth-authorization-server'),
  // Whoever calls proves in the request which application it is: a session means nothing here
  'POST /oauth/token': open('/oauth/token', 401),
  'POST /oauth/revoke': open('/oauth/revoke', 401),
  'POST /oauth/introspect': open('/oauth/introspect', 401),

  'POST /sign-out': forEverybody('/sign-out', [303, 303, 303]),
};
