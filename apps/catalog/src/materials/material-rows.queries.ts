/** Columns of a `MaterialRow`, from `materials m` joined with `accounts.users u`. */
export const materialColumns = `
  m.id as "materialId", m.title as "materialTitle", m.description, m.price as "materialPrice", m.violation,
  m.published as "materialPublished", m.published_at as "materialPublishedAt", m.uploaded_at as "uploadedAt",
  m.texture_format as "textureFormat", m.dominant_rgb as "dominantRgb", m.animated,
  m.original_width as "originalWidth", m.original_height as "originalHeight", u.id as "userId", u.name as "userName",
  u.display_name as "userDisplayName", u.avatar_url as "userAvatarUrl"`;
