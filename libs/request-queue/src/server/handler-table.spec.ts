import { checkHandlers } from './handler-table.js';

describe('checkHandlers', () => {
  it('accepts exactly the messages of the service', () => {
    expect(() =>
      checkHandlers('activity', ['health.check', 'activities.list', 'activities.subjects', 'activities.unreads']),
    ).not.toThrow();
  });

  it('throws an error with each missing, unknown or duplicate handler', () => {
    expect(() =>
      checkHandlers('activity', ['health.check', 'health.check', 'activities.list', 'activities.eat']),
    ).toThrow(
      'activity cannot start: no handler for "activities.subjects"; no handler for "activities.unreads"; a handler for "activities.eat", which is not a message ' +
        'of this service; more than one handler for "health.check"',
    );
  });
});
