// Starts Swagger UI, in the color scheme of the site.
const element = document.getElementById('swagger-ui');
const { base } = element.dataset;

const dark = matchMedia('(prefers-color-scheme: dark)');
const applyScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', applyScheme);
applyScheme();

// Layout of one landmark, with Authorize above the introduction, and titles of operations that are
// no links: they are inside of buttons
const site = ({ React: { createElement } }) => ({
  components: {
    DeepLink: ({ text }) => createElement('span', null, text),
    SiteLayout: ({ getComponent, specSelectors }) => {
      const show = (name) => createElement(getComponent(name, true), { key: name });
      const isLoaded = specSelectors.loadingStatus() === 'success';
      const names = isLoaded ? ['AuthorizeBtnContainer', 'InfoContainer', 'operations', 'Models'] : ['errors'];
      return createElement('div', { className: 'swagger-ui' }, ['SvgAssets', ...names].map(show));
    },
  },
});

const docs = SwaggerUIBundle({
  url: `${base}/api/v1/openapi.json`,
  domNode: element,
  presets: [SwaggerUIBundle.presets.apis],
  plugins: [site],
  layout: 'SiteLayout',
  deepLinking: true,
  // A stored key would outlive the sign-out
  persistAuthorization: false,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  validatorUrl: 'none',
  oauth2RedirectUrl: `${location.origin}${base}/docs/oauth2-redirect.html`,
});
docs.initOAuth({ scopes: 'read write', usePkceWithAuthorizationCodeGrant: true });
