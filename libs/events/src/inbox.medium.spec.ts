import { randomUUID } from 'node:crypto';
import { jest } from '@jest/globals';
import { eventually } from '#testing';
import { Inbox } from './inbox.js';
import { createTakeNote, type EventDatabase, eventDatabase } from './testing/event-stack.js';

let activity: EventDatabase;

beforeAll(async () => {
  activity = await eventDatabase('activity');
  await createTakeNote(activity, 'wrong');
});
afterAll(() => activity.close());
beforeEach(() => activity.owner('truncate effects, inbox'));
afterEach(() => jest.restoreAllMocks());

const take = 'take_note($1, $2)';
const deliver = (eventId: string, note: string) =>
  new Inbox(activity.database, 1).forEvent(eventId).onceCalling(take, [note]);
const notes = async () => (await activity.owner<{ note: string }>('select note from effects')).map(({ note }) => note);

describe('onceCalling for one event', () => {
  it('has one effect for concurrent and repeated deliveries', async () => {
    const id = randomUUID();
    const first = await Promise.all([deliver(id, 'one'), deliver(id, 'one')]);
    expect(first.sort()).toEqual([false, true]);
    expect(await deliver(id, 'one')).toBe(false);
    expect(await activity.owner('select event_id, note from effects')).toEqual([{ event_id: id, note: 'one' }]);
    expect(await activity.count('inbox')).toBe(1);
  });

  it('has no effect when it fails, and succeeds in a later delivery', async () => {
    const id = randomUUID();
    await expect(deliver(id, 'wrong')).rejects.toThrow('wrong');
    expect(await activity.count('inbox')).toBe(0);
    expect(await deliver(id, 'right')).toBe(true);
  });

  it('rejects a second call in the same delivery', async () => {
    const { once, onceCalling } = new Inbox(activity.database, 1).forEvent(randomUUID());
    await onceCalling(take, ['one']);
    await expect(once(() => Promise.resolve())).rejects.toThrow('called twice');
  });
});

describe('onceCalling for several events', () => {
  const statements = () => jest.spyOn(activity.database, 'write');

  it.each([2, 30])(
    'runs one statement for %i events, with a fixed text, in the order of the parameters',
    async (count) => {
      const written = statements();
      const inbox = new Inbox(activity.database, count);
      const given = Array.from({ length: count }, (_, n) => String.fromCharCode(65 + ((n * 7) % count)));
      const done = given.map((note) => inbox.forEvent(randomUUID()).onceCalling(take, [note]));
      expect(await Promise.all(done)).toEqual(given.map(() => true));
      expect(written).toHaveBeenCalledTimes(1);
      expect(written.mock.calls[0]![0]).toContain(`take_note(id, (parameters ->> 0)) from due`);
      expect(await notes()).toEqual(given.toSorted());
    },
  );

  it('calls the function once for all new events if it takes them together', async () => {
    await activity.owner(`
      create or replace function take_notes(events jsonb) returns void language sql as $$
        insert into effects (event_id, note)
        select (event ->> 0)::uuid, (event -> 2 ->> 'text') || ' of ' || jsonb_array_length(events)
        from jsonb_array_elements(events) event
      $$`);
    const takeAll = (ids: readonly string[]) => {
      const inbox = new Inbox(activity.database, ids.length);
      const parameters = (n: number) => [9 - n, { text: `note ${n}` }];
      return Promise.all(ids.map((id, n) => inbox.forEvent(id).onceCalling('take_notes($events)', parameters(n))));
    };
    const ids = [randomUUID(), randomUUID(), randomUUID()];
    expect(await takeAll(ids.slice(0, 1))).toEqual([true]);
    expect(await takeAll(ids)).toEqual([false, true, true]);
    expect(await notes()).toEqual(['note 0 of 1', 'note 2 of 2', 'note 1 of 2']);
    expect(await takeAll(ids)).toEqual([false, false, false]);
    expect(await notes()).toHaveLength(3);
  });

  it('has an effect for new events only', async () => {
    const ids = [randomUUID(), randomUUID(), randomUUID()];
    await deliver(ids[1]!, 'before');
    const inbox = new Inbox(activity.database, ids.length);
    const done = ids.map((id, n) => inbox.forEvent(id).onceCalling(take, [`after ${n}`]));
    expect(await Promise.all(done)).toEqual([true, false, true]);
    expect(await notes()).toEqual(['before', 'after 0', 'after 2']);
  });

  it('does not deadlock with a concurrent delivery of the same events', async () => {
    const run = jest.spyOn(activity.database as unknown as { run: (sql: string) => Promise<unknown> }, 'run');
    const ids = [randomUUID(), randomUUID(), randomUUID()].toSorted();
    const deliverAll = (order: readonly string[]): Promise<boolean[]> => {
      const inbox = new Inbox(activity.database, order.length);
      return Promise.all(order.map((id) => inbox.forEvent(id).onceCalling(take, ['one'])));
    };
    const waiting = async (): Promise<unknown> =>
      (
        await activity.database.query(
          "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        )
      ).length;
    await activity.owner('begin');
    await activity.owner('insert into inbox (event_id) values ($1)', [ids[1]]);
    const first = deliverAll(ids.toReversed());
    await eventually('the first statement waits', async () => (await waiting()) === 1);
    const second = deliverAll(ids);
    await eventually('the second statement waits', async () => (await waiting()) === 2);
    await activity.owner('rollback');
    expect(await Promise.all([first, second])).toEqual([ids.map(() => true), ids.map(() => false)]);
    // A deadlock would be retried, and so cause a third call
    expect(run).toHaveBeenCalledTimes(2);
  });

  it('does not wait for deliveries that have ended or use a transaction', async () => {
    const written = statements();
    const [first, second, third, fourth] = [...Array(4).keys()].map(() => randomUUID());
    const inbox = new Inbox(activity.database, 4);
    const calling = inbox.forEvent(first!).onceCalling(take, ['first']);
    inbox.forEvent(second!).ended();
    const transaction = inbox.forEvent(third!).once(async () => {
      await calling;
    });
    expect(written).not.toHaveBeenCalled();
    const last = inbox.forEvent(fourth!);
    await Promise.all([calling, transaction, last.onceCalling(take, ['fourth'])]);
    last.ended();
    expect(written).toHaveBeenCalledTimes(1);
    expect(await notes()).toEqual(['first', 'fourth']);
  });

  it('has no effect when it fails for one event', async () => {
    const inbox = new Inbox(activity.database, 2);
    const done = ['right', 'wrong'].map((note) => inbox.forEvent(randomUUID()).onceCalling(take, [note]));
    const outcomes = await Promise.allSettled(done);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect([await activity.count('inbox'), await activity.count('effects')]).toEqual([0, 0]);
  });
});

it('runs the transactions of several events one by one, also after a failure', async () => {
  const inbox = new Inbox(activity.database, 5);
  let running = 0;
  const done = Array.from({ length: 5 }, (_, n) =>
    inbox.forEvent(randomUUID()).once(async (tx) => {
      running += 1;
      expect(running).toBe(1);
      await tx.query('select pg_sleep(0.01)');
      running -= 1;
      if (n === 1) throw new Error('wrong');
    }),
  );
  const outcomes = await Promise.allSettled(done);
  expect(outcomes.map(({ status }) => status[0])).toEqual(['f', 'r', 'f', 'f', 'f']);
  expect(await activity.count('inbox')).toBe(4);
});
