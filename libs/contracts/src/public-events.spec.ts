import { publicEvents, publicEventTypes } from './public-events.js';

it.each(publicEventTypes)('the type %s is a list of identifiers, separated by full stops', (type) => {
  expect(type).toMatch(/^[a-zA-Z0-9_]+(?:\.[a-zA-Z0-9_]+)+$/);
});

it.each(publicEventTypes)('the data of %s have identifiers, counts and names of fields only', (type) => {
  for (const name of Object.keys(publicEvents[type].data.shape))
    expect(name).toMatch(/Ids?$|^(?:changed|images|count)$/);
});
