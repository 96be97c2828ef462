"""The process that makes one message of the commands of limbs in other processes."""
