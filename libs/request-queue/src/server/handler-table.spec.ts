import { checkHandlers } from './handler-table.js';

describe('the check of handlers', () => {
  it('accepts exactly the messages of the service', () => {
    expect(() => checkHandlers('activity', ['health.check', 'activities.list', 'activities.unreads'])).not.toThrow();
  });

  it('names each message that is missing, unknown or doubled', () => {
    expect(() =>
      checkHandlers('activity', ['health.check', 'health.check', 'activities.list', 'activities.eat']),
    ).toThrow(
      'activity cannot start: no handler for "activities.unreads"; a handler for "activities.eat", which is not a message ' +
        'of this service; more than one handler for "health.check"',
    );
  });
});
