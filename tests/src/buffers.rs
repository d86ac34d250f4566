//! The parts of a batch's buffers that belong to one lane.

use darkqi_env::batch::Buffers;

/// The rows of a lane in all buffers but the final observations.
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

/// The final observation of a lane. The buffers must have final observations.
pub fn last_position(buffers: &Buffers, lane: usize) -> &[u8] {
    let rows = buffers.final_observation.as_ref().expect("the buffers have final observations");
    part(rows, lane, buffers.current_player.len())
}

/// The part of a lane in a buffer that has an equal part for each lane.
pub fn part<T>(buffer: &[T], lane: usize, lanes: usize) -> &[T] {
    let row = buffer.len() / lanes;
    &buffer[lane * row..(lane + 1) * row]
}
