import { testConstraints, type TestConstraints } from '#testing';

let constraints: TestConstraints;

const activity = (receiver: number, sender: number, actor: number, kind: string, data: string) =>
  `insert into activities (event_id, receiver_id, sender_id, actor_id, kind, data, created_at)
   values ('00000000-0000-4000-8000-000000000001', ${receiver}, ${sender}, ${actor}, '${kind}', '${data}', now())`;
const ofProduct = '{"productId": 10, "productTitle": "Cup"}';

beforeAll(async () => {
  constraints = await testConstraints('activity', activity(1, 2, 2, 'favorite', ofProduct));
});
afterAll(() => constraints.close());

/** For each constraint, a statement that violates it and no other. */
const violations: Readonly<Record<string, string>> = {
  activities_event_unique: activity(1, 3, 3, 'favorite', ofProduct),
  activities_kind_check: activity(5, 2, 2, 'poke', ofProduct),
  activities_receiver: activity(0, 2, 2, 'favorite', ofProduct),
  activities_sender: activity(5, 3, 2, 'favorite', ofProduct),
  activities_of_others: activity(5, 5, 5, 'favorite', ofProduct),
  activities_own_images: activity(5, 2, 2, 'material', '{"materialId": 1, "materialTitle": "Cat"}'),
  activities_data: activity(5, 2, 2, 'sale', '{"materialId": 1, "materialTitle": "Cat"}'),
};

it('each constraint rejects the statement that violates it', async () => {
  expect(await constraints.findMismatches(violations)).toEqual([]);
});
