import { testConstraints, type TestConstraints } from '#testing';

let constraints: TestConstraints;

beforeAll(async () => {
  constraints = await testConstraints(
    'material-rendering',
    `insert into textures values (repeat('a', 64), 'png', 10, 10, 100, '#aabbcc', now(), 'textures/' || repeat('a', 64) || '.0123456789abcdef');
     insert into texture_references values (1, repeat('a', 64), now(), 100);
     insert into discarded_blobs values ('textures/a', now());
     insert into drawn_images values ('drawn/1', 10, now());
     insert into print_files (order_hash, user_id, product_id, material_id, "order") values (repeat('a', 64), 1, 1, 1, '{}');
     insert into productions (purchase_id, folder, quantity, recorded_at, "order") values (1, 'production/A', 1, now(), '{}')`,
  );
});
afterAll(() => constraints.close());

/** For each constraint, a statement that violates it and no other. */
const violations: Readonly<Record<string, string>> = {
  textures_hash_check: `update textures set hash = repeat('A', 64), blob_key = null`,
  textures_format_check: `update textures set format = 'tiff'`,
  textures_width_check: 'update textures set width = 0',
  textures_height_check: 'update textures set height = 0',
  textures_sides: 'update textures set width = 16385',
  textures_bytes_check: 'update textures set bytes = 0',
  textures_size: 'update textures set bytes = 20 * 1024 * 1024 + 1',
  textures_blob_key: `insert into textures select repeat('b', 64), format, width, height, bytes, dominant_rgb, created_at, blob_key from textures`,
  texture_references_hash_fkey: 'delete from textures',
  texture_references_user: 'update texture_references set user_id = -1',
  texture_references_bytes: 'update texture_references set bytes = -1',
  texture_references_pkey: 'insert into texture_references select * from texture_references',
  drawn_images_key: `update drawn_images set key = 'pictures/1'`,
  drawn_images_bytes: 'update drawn_images set bytes = -1',
  print_files_order_hash: `update print_files set order_hash = 'a'`,
  print_files_status: `update print_files set status = 'done'`,
  print_files_progress: 'update print_files set progress = 101',
  print_files_bytes: 'update print_files set bytes = -1',
  print_files_order: `insert into print_files (order_hash, user_id, product_id, material_id, "order") values (repeat('a', 64), 1, 1, 1, '{}')`,
  print_files_ready: `update print_files set status = 'ready'`,
  productions_folder: `update productions set folder = 'textures'`,
  productions_folder_key: `insert into productions (purchase_id, folder, quantity, recorded_at, "order") values (2, 'production/a', 1, now(), '{}')`,
  productions_quantity: 'update productions set quantity = 0',
  productions_order: `update productions set "order" = '[]'`,
  productions_status: `update productions set status = 'done'`,
  productions_reason: `update productions set status = 'failed'`,
  discarded_blobs_key: `update discarded_blobs set key = 'uploads/1'`,
  textures_dominant_rgb_check: `update textures set dominant_rgb = 'red'`,
};

it('each constraint rejects the statement that violates it', async () => {
  expect(await constraints.findMismatches(violations)).toEqual([]);
});
