//! Parts of a batch's rows.

use darkqi_env::Buffers;

/// Lane `lane` of every buffer but the last positions.
pub fn row(buffers: &Buffers, lane: usize) -> (&[u8], &[u8], i8, &[f32], bool, bool) {
    let lanes = buffers.current_player.len();
    (
        part(&buffers.observation, lane, lanes),
        part(&buffers.mask, lane, lanes),
        buffers.current_player[lane],
        part(&buffers.reward, lane, lanes),
        buffers.terminated[lane],
        buffers.truncated[lane],
    )
}

/// Lane `lane` of the last positions, for which there must be room.
pub fn last_position(buffers: &Buffers, lane: usize) -> &[u8] {
    let rows = buffers.final_observation.as_ref().expect("last positions are asked for");
    part(rows, lane, buffers.current_player.len())
}

/// One of so many equal parts of a buffer.
pub fn part<T>(buffer: &[T], lane: usize, lanes: usize) -> &[T] {
    let row = buffer.len() / lanes;
    &buffer[lane * row..(lane + 1) * row]
}
