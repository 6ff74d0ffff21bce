import { randomUUID } from 'node:crypto';
import { onceInInbox } from './delivery.js';
import { type EventDatabase, eventDatabase } from './testing/event-stack.js';

let activity: EventDatabase;

beforeAll(async () => {
  activity = await eventDatabase('activity');
  await activity.owner(`
    create function take_note(event uuid, noted text) returns void language plpgsql as $$
    begin
      if noted = 'wrong' then raise exception 'wrong'; end if;
      insert into effects (event_id, note) values (event, noted);
    end $$`);
});
afterAll(() => activity.close());
beforeEach(() => activity.owner('truncate effects, inbox'));

const deliver = (eventId: string, note: string) =>
  onceInInbox(activity.database, eventId).onceCalling('take_note($1, $2)', [note]);

describe('what the database does of an event by itself', () => {
  it('happens once, delivered at the same time and later', async () => {
    const id = randomUUID();
    const first = await Promise.all([deliver(id, 'one'), deliver(id, 'one')]);
    expect(first.sort()).toEqual([false, true]);
    expect(await deliver(id, 'one')).toBe(false);
    expect(await activity.owner('select event_id, note from effects')).toEqual([{ event_id: id, note: 'one' }]);
    expect(await activity.count('inbox')).toBe(1);
  });

  it('leaves no trace when it fails, and may be delivered again', async () => {
    const id = randomUUID();
    await expect(deliver(id, 'wrong')).rejects.toThrow('wrong');
    expect(await activity.count('inbox')).toBe(0);
    expect(await deliver(id, 'right')).toBe(true);
  });

  it('is all that is done in its delivery', async () => {
    const { once, onceCalling } = onceInInbox(activity.database, randomUUID());
    await onceCalling('take_note($1, $2)', ['one']);
    await expect(once(() => Promise.resolve())).rejects.toThrow('called twice');
  });
});
