// New names for the library's functions that `hooks.c` wraps.
#ifndef RENAMED_H
#define RENAMED_H

#define hop_read_begin plain_read_begin
#define hop_find plain_find
#define hop_section_end plain_section_end
#define hop_section_borrow plain_section_borrow
#define hop_borrow_begin plain_borrow_begin
#define hop_borrow_end plain_borrow_end
#define hop_contains plain_contains
#define hop_copy_stack plain_copy_stack
#define hop_copy_keys plain_copy_keys
#define hop_copy_first_keys plain_copy_first_keys
#define hop_push plain_push
#define hop_find_or_push plain_find_or_push
#define hop_remove plain_remove
#define hop_remove_numbered plain_remove_numbered
#define hop_remove_entries plain_remove_entries
#define hop_replace plain_replace
#define hop_replace_entries plain_replace_entries
#define hop_remove_all plain_remove_all
#define hop_seal plain_seal
#define hop_is_sealed plain_is_sealed
#define hop_attachment plain_attachment
#define hop_attach plain_attach
#define hop_marks plain_marks
#define hop_marks_after_fence plain_marks_after_fence
#define hop_marks_set plain_marks_set
#define hop_marks_clear plain_marks_clear
#define hop_pin plain_pin
#define hop_unpin plain_unpin
#define hop_scope_reserve plain_scope_reserve
#define hop_scope_find plain_scope_find
#define hop_scope_has_slot plain_scope_has_slot
#define hop_scope_fill plain_scope_fill
#define hop_lock_acquire plain_lock_acquire
#define hop_lock_release plain_lock_release
#define hop_word_load plain_word_load
#define hop_word_store plain_word_store
#define hop_word_increment plain_word_increment

#endif
