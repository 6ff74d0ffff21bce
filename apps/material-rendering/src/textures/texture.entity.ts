import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { TextTask } from '../texts/text.renderer.js';
import type { TextureFormat } from './texture.rules.js';

/** Valid image. Its bytes are in the blob store, and several materials may share it. */
@Entity('textures')
export class TextureEntity {
  /** SHA-256 of the stored bytes, hexadecimal. */
  @PrimaryColumn('text')
  hash!: string;

  @Column('text')
  format!: TextureFormat;

  @Column('integer')
  width!: number;

  @Column('integer')
  height!: number;

  @Column('integer')
  bytes!: number;

  @Column('text', { name: 'dominant_rgb', nullable: true })
  dominantRgb!: string | null;

  /** True if only the first of its frames is printed. */
  @Column('boolean', { default: false })
  animated!: boolean;

  /** Key of its bytes in the blob store; null means `textures/<hash>`. */
  @Column('text', { name: 'blob_key', nullable: true })
  blobKey!: string | null;

  /** Text that the image shows, and its color; null for images of clients. */
  @Column('jsonb', { nullable: true })
  text!: TextTask | null;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt!: Date;
}
